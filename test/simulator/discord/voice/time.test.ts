import { expect, it } from 'vitest'
import { Close, Op } from '../../../../src/simulator/discord/voice/gateway-message.ts'
import { VoiceServer } from '../../../../src/simulator/discord/voice/voice-server.ts'
import { FakeClock } from '../../../../src/simulator/fakes/fake-clock.ts'
import { RawBot } from '../../../support/simulator/raw-voice-bot.ts'
import { until } from '../../../support/until.ts'

const IDENTIFY = {
  server_id: '1',
  user_id: '3',
  session_id: 'session',
  token: 'token',
  max_dave_protocol_version: 1,
}
const SELECT = { protocol: 'udp', data: { address: '127.0.0.1', port: 9, mode: 'aead_aes256_gcm_rtpsize' } }
const RESUME = { server_id: '1', session_id: 'session', token: 'token', seq_ack: -1 }

async function connected(server: VoiceServer): Promise<RawBot> {
  server.openCall('1', '2').expect({ userId: '3', sessionId: 'session', token: 'token' })
  const bot = new RawBot(server)
  await bot.got(Op.hello)
  bot.say(Op.identify, IDENTIFY)
  await bot.got(Op.ready)
  bot.say(Op.selectProtocol, SELECT)
  await bot.got(Op.sessionDescription)
  return bot
}

it('closes the socket of a bot without heartbeats, not of one with them', async () => {
  const clock = new FakeClock()
  await using server = await VoiceServer.listen({ clock, heartbeatMs: 10_000 })
  using bot = await connected(server)
  clock.advance(29_000)
  bot.say(Op.heartbeat, { t: 1, seq_ack: 2 })
  await bot.got(Op.heartbeatAck)
  clock.advance(29_000)
  expect(bot.closed).toBeUndefined()
  clock.advance(2_000)
  expect(await bot.ended()).toBe(Close.sessionTimeout)
})

it.each([
  [59_000, undefined],
  [61_000, Close.sessionInvalid],
])('%i ms after a break, a resume ends with %s', async (ms, code) => {
  const clock = new FakeClock()
  await using server = await VoiceServer.listen({ clock })
  using bot = await connected(server)
  const call = server.openCall('1', '2')
  call.dropSocket('3')
  await bot.ended()
  clock.advance(ms)
  expect(call.connected('3')).toBe(code === undefined)
  using again = new RawBot(server)
  await again.got(Op.hello)
  again.say(Op.resume, RESUME)
  if (code === undefined) await again.got(Op.resumed)
  else expect(await again.ended()).toBe(code)
})

it('ends everything on close, in any state, and leaves no timers', async () => {
  const clock = new FakeClock()
  const server = await VoiceServer.listen({ clock })
  const greeted = new RawBot(server)
  await greeted.got(Op.hello)
  const bot = await connected(server)
  const anna = server.openCall('1', '2').addUser('400000000000000001')
  // The group waits for the bot's key package, which never arrives.
  await bot.got(Op.clientsConnect)
  await Promise.all([server.close(), server.close()])
  await anna.joined
  await until(() => greeted.closed !== undefined && bot.closed !== undefined, 5_000, 'both ends')
  expect(clock.pending).toBe(0)
  await anna.say(new Int16Array(320))
})

it('lets users continue without a bot that does not respond to DAVE', async () => {
  const clock = new FakeClock()
  await using server = await VoiceServer.listen({ clock })
  using _ = await connected(server)
  const call = server.openCall('1', '2')
  const anna = call.addUser('400000000000000001')
  const ben = call.addUser('400000000000000002')
  await Promise.resolve()
  expect(anna.privacyCode).toBeUndefined()
  const together = () => {
    clock.advance(100)
    return anna.privacyCode !== undefined && anna.privacyCode === ben.privacyCode
  }
  await until(together, 5_000, 'their group')
  expect(clock.now()).toBeGreaterThanOrEqual(2_000)
})

it.each([
  [{ heartbeatMs: 0 }, 'heartbeatMs must be above 0, got 0'],
  [
    { encryption: [] },
    'encryption is some of aead_aes256_gcm_rtpsize, aead_xchacha20_poly1305_rtpsize, got ',
  ],
  [{ encryption: ['xsalsa20_poly1305'] }, 'got xsalsa20_poly1305'],
])('does not listen with %o', async (options, complaint) => {
  await expect(VoiceServer.listen(options as object)).rejects.toThrow(complaint)
})

it('requires snowflakes for users, and a connected bot to forge for', async () => {
  await using server = await VoiceServer.listen()
  const call = server.openCall('1', '2')
  expect(server.openCall('1', '2')).toBe(call)
  expect(() => call.addUser('anna')).toThrow('a user id must be a snowflake, got anna')
  await expect(call.forge('3', 77)).rejects.toThrow('bot 3 is not connected')
  expect(call.heard('3').every(sample => sample === 0)).toBe(true)
  expect(call.packetsFrom('3')).toMatchObject({ packets: 0, speaking: [] })
})
