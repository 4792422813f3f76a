import { createSocket } from 'node:dgram'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Op } from '../../../../src/simulator/discord/voice/gateway-message.ts'
import type { VoiceCall } from '../../../../src/simulator/discord/voice/voice-call.ts'
import { BOT, GUILD } from '../../../support/simulator/library-voice-bot.ts'
import { RawBot } from '../../../support/simulator/raw-voice-bot.ts'
import { Calls } from '../../../support/simulator/voice-calls.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { until } from '../../../support/until.ts'

const ANNA = '400000000000000001'
const SEED = 20_260_711

const json = fc.record({
  op: fc.constantFrom(0, 1, 3, 5, 7, 23, 31, 99),
  d: fc.oneof(
    fc.jsonValue(),
    fc.record({ speaking: fc.nat(9), ssrc: fc.nat() }),
    fc.record({ transition_id: fc.nat(9) }),
    fc.record({ t: fc.nat(), seq_ack: fc.integer({ min: -1, max: 99 }) }),
  ),
})
const binary = fc
  .tuple(fc.constantFrom(26, 28), fc.uint8Array({ maxLength: 300 }))
  .map(([op, bytes]) => Buffer.concat([Buffer.of(op), bytes]))
const message = fc.oneof(
  json.map(each => JSON.stringify(each)),
  binary,
  fc.string(),
)

describe('rubbish from a bot', () => {
  const calls = new Calls({ heartbeatMs: 60_000 })

  async function connected(call: VoiceCall): Promise<RawBot> {
    const bot = new RawBot(calls.server)
    call.expect({ userId: BOT, sessionId: 'session', token: call.channelId })
    await bot.got(Op.hello)
    const identity = { server_id: GUILD, user_id: BOT, session_id: 'session', token: call.channelId }
    bot.say(Op.identify, { ...identity, max_dave_protocol_version: 1 })
    await bot.got(Op.ready)
    const data = { address: '127.0.0.1', port: 9, mode: 'aead_aes256_gcm_rtpsize' }
    bot.say(Op.selectProtocol, { protocol: 'udp', data })
    await bot.got(Op.sessionDescription)
    return bot
  }

  it('closes at most its own socket with a code, and the server continues', async () => {
    const call = calls.open()
    const anna = call.addUser(ANNA)
    const sockets = createSocket('udp4')
    for (const messages of fc.sample(fc.array(message, { minLength: 1, maxLength: 8 }), {
      seed: SEED,
      numRuns: 60,
    })) {
      using bot = await connected(call)
      for (const each of messages) bot.send(each)
      bot.say(99, {})
      expect([4001, 4002, 4003, 4005, 4006, 4020, 4004, 4011]).toContain(await bot.ended())
    }
    using bot = await connected(call)
    const { port, ssrc } = bot.messages.find(({ op }) => op === Op.ready)!.d
    bot.say(Op.speaking, { speaking: 1, delay: 0, ssrc })
    const bytes = fc.uint8Array({ minLength: 12, maxLength: 200 })
    for (const datagram of fc.sample(bytes, { seed: SEED, numRuns: 300 })) {
      const packet = Buffer.from(datagram)
      packet[0] = 0x80 | (packet[0]! & 0x3f)
      packet.writeUInt32BE(Number(ssrc), 8)
      sockets.send(packet, Number(port), '127.0.0.1')
    }
    await until(() => call.packetsFrom(BOT).broken > 200, 5_000, 'the rubbish')
    expect(call.packetsFrom(BOT).packets).toBe(0)
    sockets.close()

    using real = calls.bot(call)
    await real.ready()
    await anna.joined
    await until(
      () => anna.privacyCode && anna.privacyCode === real.connection.voicePrivacyCode,
      10_000,
      'the group',
    )
    const ear = real.hear(ANNA)
    await anna.say(sine(600, 200))
    await until(() => ear.packets.length >= 14, 5_000, 'the words')
  })
})
