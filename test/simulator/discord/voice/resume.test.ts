import { describe, expect, it } from 'vitest'
import { Close, Op } from '../../../../src/simulator/discord/voice/gateway-message.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { BOT, GUILD } from '../../../support/simulator/library-voice-bot.ts'
import { RawBot } from '../../../support/simulator/raw-voice-bot.ts'
import { Calls } from '../../../support/simulator/voice-calls.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { until } from '../../../support/until.ts'

const ANNA = '400000000000000001'
const BEN = '400000000000000002'

describe('a bot whose socket is gone', () => {
  const calls = new Calls()

  it.each([
    ['is closed with 4015', 4015],
    ['is closed with 1001', 1001],
    ['breaks', undefined],
  ])('resumes when it %s, and misses nothing', async (_what, code) => {
    const { call, bot } = await calls.join()
    using _ = bot
    const anna = call.addUser(ANNA)
    await anna.joined
    if (code === undefined) call.dropSocket(BOT)
    else call.closeSocket(BOT, code)
    // All of this happens while the bot is not connected.
    const ben = call.addUser(BEN)
    await ben.joined
    await bot.ready()
    expect(bot.states.filter(status => status === 'signalling')).toEqual([])
    expect(call.connected(BOT)).toBe(true)
    const ear = bot.hear(BEN)
    await Promise.all([ben.say(sine(600, 400)), bot.play(sine(440, 400))])
    await until(() => ear.packets.length >= 25, 5_000, 'the words of Ben')
    await until(() => call.packetsFrom(BOT).silence >= 4, 5_000, 'the words of the bot')
    expect(loudness(ear.pcm().subarray(800, 6_400), 600, 16_000)).toBeGreaterThan(7_000)
    expect(ben.privacyCode).toBe(bot.connection.voicePrivacyCode)
    expect(call.packetsFrom(BOT)).toMatchObject({ frames: 20, undecryptable: 0, plaintext: 0 })
  })

  it('starts again when its session is over', async () => {
    const { call, bot } = await calls.join()
    using _ = bot
    call.closeSocket(BOT, Close.sessionInvalid)
    await until(() => !call.connected(BOT), 5_000, 'the end of the session')
    await until(() => call.connected(BOT), 5_000, 'the new session')
    expect(bot.asked).toEqual([call.channelId, call.channelId])
  })
})

describe('a bot without answers to its heartbeats', () => {
  const calls = new Calls({ heartbeatMs: 100 })

  it('resumes', async () => {
    const { call, bot } = await calls.join()
    using _ = bot
    call.faults.silentHeartbeat = true
    await until(() => bot.debug.some(line => line.includes('"op":9')), 5_000, 'op 9')
    call.faults.silentHeartbeat = false
    await bot.ready()
    expect(bot.debug.some(line => line.includes(`"op":${Op.resume}`))).toBe(true)
  })
})

describe('a session', () => {
  const calls = new Calls()

  it('sends a client everything unacknowledged again, under the same numbers', async () => {
    const call = calls.open()
    call.expect({ userId: BOT, sessionId: 'session', token: 'token' })
    const identify = {
      server_id: GUILD,
      user_id: BOT,
      session_id: 'session',
      token: 'token',
      max_dave_protocol_version: 1,
    }
    using first = new RawBot(calls.server)
    await first.got(Op.hello)
    first.say(Op.identify, identify)
    await first.got(Op.ready)
    const data = { address: '127.0.0.1', port: 9, mode: 'aead_aes256_gcm_rtpsize' }
    first.say(Op.selectProtocol, { protocol: 'udp', data })
    await first.got(Op.sessionDescription)
    call.addUser(ANNA)
    await first.got(Op.clientsConnect)
    const described = first.messages.find(({ op }) => op === Op.sessionDescription)!
    first.say(Op.heartbeat, { t: 77, seq_ack: described.seq })
    expect(await first.got(Op.heartbeatAck)).toEqual({ t: 77 })
    const after = first.messages.filter(({ seq }) => seq !== undefined && seq > described.seq!)
    first.close(4900)
    await first.ended()

    using second = new RawBot(calls.server)
    await second.got(Op.hello)
    second.say(Op.resume, { server_id: GUILD, session_id: 'session', token: 'token', seq_ack: described.seq })
    await second.got(Op.clientsConnect)
    await until(() => second.messages.length >= 2 + after.length, 5_000, 'everything missed')
    expect(second.messages.map(({ op }) => op).slice(0, 2)).toEqual([Op.hello, Op.resumed])
    expect(second.messages.slice(2)).toEqual(after)
    expect(second.binary.map(message => message.readUInt16BE())).toEqual(
      first.binary.map(message => message.readUInt16BE()),
    )
  })
})
