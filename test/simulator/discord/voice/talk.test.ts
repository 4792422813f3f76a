import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trust } from '../../../../src/simulator/discord/voice/trust.ts'
import { VoiceServer } from '../../../../src/simulator/discord/voice/voice-server.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { sine } from '../../../helpers/tone.ts'
import { until } from '../../../helpers/until.ts'
import { BOT, CHANNEL, GUILD, RealBot } from './real-bot.ts'

const ANNA = '400000000000000001'

describe.each([false, true])('a call with DAVE %s', dave => {
  let server: VoiceServer
  let trusted: Disposable
  beforeAll(async () => {
    server = await VoiceServer.listen({ dave })
    trusted = trust(server.certificate)
  })
  afterAll(async () => {
    await server.close()
    trusted[Symbol.dispose]()
  })

  it('carries a user to the bot and the bot to the user', async () => {
    const call = server.openCall(GUILD, CHANNEL)
    call.expect({ userId: BOT, sessionId: 'session', token: 'token' })
    using bot = new RealBot(() => server.endpoint, call, { dave })
    await bot.ready()
    const anna = call.addUser(ANNA)
    await anna.joined
    const ear = bot.hear(ANNA)
    await anna.say(sine(600, 1_000))
    await until(() => ear.packets.length >= 55, 5_000, 'the last packet')
    expect(loudness(ear.pcm().subarray(1_600, 14_400), 600, 16_000)).toBeGreaterThan(7_000)
    await bot.play(sine(440, 1_000))
    await until(() => call.packetsFrom(BOT).silence >= 4, 5_000, 'the silence behind it')
    const heard = call.heard(BOT)
    const counts = call.packetsFrom(BOT)
    const from = heard.findIndex(sample => Math.abs(sample) > 500)
    expect(loudness(heard.subarray(from + 800, from + 14_400), 440, 16_000)).toBeGreaterThan(7_000)
    expect(anna.privacyCode).toBe(dave ? bot.connection.voicePrivacyCode : undefined)
    expect(counts).toMatchObject({ frames: 50, gaps: 0, broken: 0, undecryptable: 0, plaintext: 0 })
  })
})
