import { createSocket } from 'node:dgram'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { discoveryResponse } from '../../../../src/simulator/discord/voice/datagrams.ts'
import { Close, Op } from '../../../../src/simulator/discord/voice/gateway-message.ts'
import type { VoiceCall } from '../../../../src/simulator/discord/voice/voice-call.ts'
import { VoiceServer } from '../../../../src/simulator/discord/voice/voice-server.ts'
import { RawBot } from '../../../support/simulator/raw-voice-bot.ts'
import { until } from '../../../support/until.ts'

const GUILD = '1'
const BOT = '3'
const IDENTIFY = {
  server_id: GUILD,
  user_id: BOT,
  session_id: 'session',
  token: 'token',
  max_dave_protocol_version: 1,
}
const SELECT = {
  protocol: 'udp',
  data: { address: '127.0.0.1', port: 9, mode: 'aead_aes256_gcm_rtpsize' },
}

let server: VoiceServer
let call: VoiceCall
beforeAll(async () => {
  server = await VoiceServer.listen()
  call = server.openCall(GUILD, '2')
})
afterAll(() => server.close())

/** A bot at this stage, and its SSRC. */
async function come(to: 'greeted' | 'identified' | 'connected'): Promise<{ bot: RawBot; ssrc: number }> {
  const bot = new RawBot(server)
  await bot.got(Op.hello)
  if (to === 'greeted') return { bot, ssrc: 0 }
  call.expect({ userId: BOT, sessionId: 'session', token: 'token' })
  bot.say(Op.identify, IDENTIFY)
  const ssrc = Number((await bot.got(Op.ready)).ssrc)
  if (to === 'identified') return { bot, ssrc }
  bot.say(Op.selectProtocol, SELECT)
  await bot.got(Op.sessionDescription)
  return { bot, ssrc }
}

describe('the voice gateway admits only expected bots, and', () => {
  it.each([
    ['no bot before it is expected', {}, Close.authenticationFailed, false],
    ['another guild', { server_id: '99' }, Close.serverNotFound, true],
    ['another user', { user_id: '4' }, Close.authenticationFailed, true],
    ['another token', { token: 'stolen' }, Close.authenticationFailed, true],
    ['another session', { session_id: 'old' }, Close.sessionInvalid, true],
    ['no DAVE', { max_dave_protocol_version: 0 }, Close.daveRequired, true],
    ['no token', { token: undefined }, Close.undecodable, true],
  ])('not %s', async (_what, change, code, expected) => {
    const { bot } = await come('greeted')
    call.forget(BOT)
    if (expected) call.expect({ userId: BOT, sessionId: 'session', token: 'token' })
    bot.say(Op.identify, { ...IDENTIFY, ...change })
    expect(await bot.ended()).toBe(code)
  })

  it('no longer accepts a token that was replaced', async () => {
    const { bot } = await come('greeted')
    call.expect({ userId: BOT, sessionId: 'session', token: 'token' })
    call.expect({ userId: BOT, sessionId: 'session', token: 'another' })
    bot.say(Op.identify, IDENTIFY)
    expect(await bot.ended()).toBe(Close.authenticationFailed)
  })
})

describe('the voice gateway closes on', () => {
  it.each([
    ['op 1 before op 0', 'greeted', Op.selectProtocol, SELECT, Close.notAuthenticated],
    ['op 5 before op 0', 'greeted', Op.speaking, { speaking: 1, ssrc: 1 }, Close.notAuthenticated],
    ['op 5 before op 1', 'identified', Op.speaking, { speaking: 1, ssrc: 1 }, Close.notAuthenticated],
    ['a second op 0', 'identified', Op.identify, IDENTIFY, Close.alreadyAuthenticated],
    ['an unknown opcode', 'greeted', 99, {}, Close.unknownOpcode],
    ['an opcode of the server', 'connected', Op.ready, {}, Close.unknownOpcode],
    [
      'another protocol',
      'identified',
      Op.selectProtocol,
      { ...SELECT, protocol: 'webrtc' },
      Close.unknownProtocol,
    ],
    [
      'another mode',
      'identified',
      Op.selectProtocol,
      { ...SELECT, data: { ...SELECT.data, mode: 'xsalsa20_poly1305' } },
      Close.unknownEncryption,
    ],
    ['an SSRC that is not the bot’s', 'connected', Op.speaking, { speaking: 1, ssrc: 1 }, Close.badRequest],
    ['an invalid body', 'connected', Op.speaking, { speaking: 'yes' }, Close.undecodable],
    [
      'a session that cannot be resumed',
      'greeted',
      Op.resume,
      { server_id: GUILD, session_id: 'old', token: 'token', seq_ack: 3 },
      Close.sessionInvalid,
    ],
  ] as const)('%s', async (_what, state, op, body, code) => {
    const { bot } = await come(state)
    bot.say(op, body)
    expect(await bot.ended()).toBe(code)
  })

  it.each([
    ['text that is not JSON', 'nonsense', Close.undecodable],
    ['binary with an unknown opcode', Buffer.of(99, 1, 2), Close.unknownOpcode],
    ['binary without an opcode', Buffer.of(), Close.undecodable],
    ['a key package from an unknown sender', Buffer.of(Op.keyPackage, 1), Close.notAuthenticated],
  ])('%s', async (_what, message, code) => {
    const { bot } = await come('greeted')
    bot.send(message)
    expect(await bot.ended()).toBe(code)
  })

  it('voice that was not announced by op 5', async () => {
    const { bot, ssrc } = await come('connected')
    const { port } = bot.messages.find(({ op }) => op === Op.ready)!.d
    const packet = Buffer.alloc(60)
    packet[0] = 0x80
    packet[1] = 120
    packet.writeUInt32BE(ssrc, 8)
    const socket = createSocket('udp4')
    socket.send(packet, Number(port), '127.0.0.1')
    expect(await bot.ended()).toBe(Close.badRequest)
    socket.close()
  })
})

describe('the media socket', () => {
  it('reports a bot’s address, echoes its keep-alive and ignores unknown senders', async () => {
    const { bot, ssrc } = await come('identified')
    const { port } = bot.messages.find(({ op }) => op === Op.ready)!.d
    const socket = createSocket('udp4')
    const answers: Buffer[] = []
    socket.on('message', message => answers.push(message))
    await new Promise<void>(settle => socket.bind(0, '127.0.0.1', settle))
    const ask = (about: number) => {
      const request = discoveryResponse(about, '', 0)
      request.writeUInt16BE(1, 0)
      socket.send(request, Number(port), '127.0.0.1')
    }
    ask(ssrc + 1_000)
    socket.send(Buffer.from('nonsense nonsense'), Number(port), '127.0.0.1')
    socket.send(Buffer.from('8 bytes!'), Number(port), '127.0.0.1')
    ask(ssrc)
    await until(() => answers.length >= 2, 5_000, 'both answers')
    expect(answers).toEqual([
      Buffer.from('8 bytes!'),
      discoveryResponse(ssrc, '127.0.0.1', socket.address().port),
    ])
    socket.close()
    bot[Symbol.dispose]()
  })
})

it('replaces the session of a bot that identifies itself again', async () => {
  const { bot: older } = await come('connected')
  const { bot: newer } = await come('connected')
  expect(await older.ended()).toBe(Close.sessionInvalid)
  expect(call.connected(BOT)).toBe(true)
  call.forget(BOT)
  expect(await newer.ended()).toBe(Close.disconnected)
  expect(call.connected(BOT)).toBe(false)
})
