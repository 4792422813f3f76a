import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trust } from '../../../../simulator/discord/voice/certificate.ts'
import type { EncryptionMode } from '../../../../simulator/discord/voice/rtp.ts'
import { VoiceServer } from '../../../../simulator/discord/voice/voice-server.ts'
import type { SayOptions } from '../../../../simulator/discord/voice/voice-user.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { BOT, CHANNEL, GUILD, RealBot } from '../../../support/simulator/library-voice-bot.ts'
import { loudParts } from '../../../support/simulator/loud-parts.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { until } from '../../../support/until.ts'

const ANNA = '400000000000000001'
const GCM = 'aead_aes256_gcm_rtpsize'
const XCHACHA = 'aead_xchacha20_poly1305_rtpsize'

const CALLS: [EncryptionMode, boolean, SayOptions][] = [
  [GCM, false, { frameMs: 60 }],
  [GCM, true, { frameMs: 20, channels: 2 }],
  [XCHACHA, false, { frameMs: 10 }],
  [XCHACHA, true, { frameMs: 40, channels: 2 }],
]

describe.each(CALLS)('a call with %s, DAVE %s, packets %o', (mode, dave, options) => {
  let server: VoiceServer
  let trusted: Disposable
  beforeAll(async () => {
    server = await VoiceServer.listen({ dave, encryption: [mode] })
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
    await Promise.all([anna.say(sine(600, 960), options), bot.play(sine(440, 1_000))])
    const packets = 960 / options.frameMs! + 5
    await until(() => ear.packets.length >= packets, 5_000, 'the last packet')
    expect(ear.packets.length).toBe(packets)
    const pcm = ear.pcm()
    expect(pcm.length).toBe(16 * (960 + 5 * 20))
    expect(loudness(pcm.subarray(800, 14_400), 600, 16_000)).toBeGreaterThan(7_500)
    await until(() => call.packetsFrom(BOT).silence >= 4, 5_000, 'the silence after it')
    expect(loudParts(call.heard(BOT), 440)).toBeGreaterThanOrEqual(40)
    expect(anna.privacyCode).toBe(dave ? bot.connection.voicePrivacyCode : undefined)
    expect(call.packetsFrom(BOT)).toMatchObject({
      frames: 50,
      silenceTail: 4,
      gaps: 0,
      broken: 0,
      undecryptable: 0,
      plaintext: 0,
      // On a busy machine the end of speech can follow before this is read.
      speaking: expect.arrayContaining([{ flags: 1, afterPackets: 0 }]),
    })
  })
})
