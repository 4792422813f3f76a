import { afterAll, beforeAll, expect, it } from 'vitest'
import { trust } from '../../../../src/simulator/discord/voice/certificate.ts'
import { VoiceServer } from '../../../../src/simulator/discord/voice/voice-server.ts'
import { BOT, CHANNEL, GUILD, RealBot } from '../../../support/simulator/library-voice-bot.ts'
import { loudParts } from '../../../support/simulator/loud-parts.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { pause, until } from '../../../support/until.ts'

const ANNA = '400000000000000001'
const BEN = '400000000000000002'

let server: VoiceServer
let trusted: Disposable
beforeAll(async () => {
  server = await VoiceServer.listen()
  trusted = trust(server.certificate)
})
afterAll(async () => {
  await server.close()
  trusted[Symbol.dispose]()
})

it('keeps talk going while others join and leave and encryption changes', async () => {
  const call = server.openCall(GUILD, CHANNEL)
  call.expect({ userId: BOT, sessionId: 'session', token: 'token' })
  using bot = new RealBot(() => server.endpoint, call)
  await bot.ready()
  const anna = call.addUser(ANNA)
  await anna.joined
  const ear = bot.hear(ANNA)
  const talk = Promise.all([anna.say(sine(600, 4_000)), bot.play(sine(440, 4_000))])
  await pause(500)
  const ben = call.addUser(BEN)
  await ben.joined
  await pause(500)
  ben.leave()
  await call.settled()
  await pause(500)
  await call.downgrade()
  await pause(500)
  await call.upgrade()
  await pause(500)
  const again = call.addUser(BEN)
  await again.joined
  await talk
  await until(() => call.packetsFrom(BOT).silence >= 4, 5_000, 'the end')
  expect(call.transitions.map(({ kind }) => kind)).toEqual([
    'formed',
    'added',
    'removed',
    'downgraded',
    'formed',
    'added',
  ])
  const counts = call.packetsFrom(BOT)
  expect(counts).toMatchObject({ frames: 200, gaps: 0, undecryptable: 0, plaintext: 0, undecodable: 0 })
  expect(loudParts(call.heard(BOT), 440)).toBeGreaterThanOrEqual(180)
  // The library itself can drop a frame while it changes over.
  expect(loudParts(ear.pcm(), 600)).toBeGreaterThanOrEqual(190)
})
