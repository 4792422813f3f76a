import { describe, expect, it } from 'vitest'
import { soundSettingsSchema } from '../../../src/app/sounds/settings.ts'
import { SoundLibrary } from '../../../src/app/sounds/sound-library.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { ServiceClient } from '../../../src/service/client/service-client.ts'
import { ServiceSpeaker } from '../../../src/service/client/speaker.ts'
import { dbfs, rms } from '../../../src/transcode/level.ts'
import { KEY, realService } from '../../support/service/real-service.ts'

const service = realService()

const speaker = () => new ServiceSpeaker(() => new ServiceClient({ url: service.url, apiKey: KEY }))

describe('speech from the service', () => {
  it('speaks and translates sentences', async () => {
    const pcm = await speaker().speak('La línea está ocupada. Inténtelo más tarde.', 'es-es')
    expect(pcm.length / 16_000).toBeGreaterThan(1.5)
    expect(pcm.length / 16_000).toBeLessThan(8)
    expect(await speaker().translate('The house is big.', 'en-us', 'es-es')).toMatch(/casa .*grande/i)
  })

  it('rejects an unsupported language quickly', async () => {
    await expect(speaker().speak('hello', 'zz-zz')).rejects.toMatchObject({ code: expect.any(String) })
  })

  it('speaks the notices', async () => {
    const options = soundSettingsSchema.parse({})
    const parts = {
      speaker: speaker(),
      settings: options,
      clock: systemClock,
      log: noopLogger,
      timeoutMs: 10_000,
    }
    const { name, pcm } = await new SoundLibrary(parts).notice('choose-language', 'es-es', { key: '2' })
    expect(name).toBe('notice choose-language es-es')
    expect(dbfs(rms(pcm))).toBeGreaterThan(-26)
    const known = await new SoundLibrary(parts).notice('options', 'en-us', { pause: '*1' })
    const longer = await new SoundLibrary(parts).notice('options', 'en-us', { pause: '*1', repeat: '*2' })
    expect(longer.pcm.length).toBeGreaterThan(known.pcm.length * 1.5)
  })
})
