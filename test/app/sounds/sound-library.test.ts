import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { soundSettingsSchema } from '../../../src/app/sounds/settings.ts'
import type { SpeechSource } from '../../../src/app/sounds/sound-library.ts'
import { SoundLibrary } from '../../../src/app/sounds/sound-library.ts'
import { dbfs, loudness, rms } from '../../../src/transcode/level.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { LogLines } from '../../support/log-lines.ts'
import { sine } from '../../support/transcode/tone.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Speaks each language at its own pitch and long texts louder, so that tests can identify the audio. */
class TonesForWords implements SpeechSource {
  readonly asked: string[] = []
  broken = false
  slow: Promise<void> | undefined

  async speak(text: string, language: string): Promise<Int16Array> {
    this.asked.push(`${language}: ${text}`)
    await this.slow
    if (this.broken) throw new Error('no voice')
    return sine(language.startsWith('es') ? 600 : 300, 500, text.length > 30 ? 12_000 : 900)
  }

  async translate(text: string, from: string, to: string): Promise<string> {
    this.asked.push(`${from} to ${to}: ${text}`)
    return `in ${to}`
  }
}

function library(settings: Record<string, unknown> = {}) {
  const speaker = new TonesForWords()
  const clock = new FakeClock()
  const log = new LogLines()
  const options = soundSettingsSchema.parse(settings)
  return { sounds: new SoundLibrary({ speaker, settings: options, clock, log }), speaker, clock, log }
}

async function toneFile(hz: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'library-'))
  cleanups.push(() => rm(folder, { recursive: true }))
  const path = join(folder, `${hz}.wav`)
  await writeFile(path, encodeWav(sine(hz, 400), 16_000))
  return path
}

const pitch = (pcm: Int16Array, hz: number) => loudness(pcm.subarray(800, 5_600), hz, 16_000)

describe('the sound library', () => {
  it('synthesizes a notice once in the language of the listener', async () => {
    const { sounds, speaker } = library()
    const first = await sounds.notice('busy', 'es-es')
    expect(speaker.asked).toEqual(['es-es: La línea está ocupada. Inténtelo más tarde.'])
    expect(pitch(first.pcm, 600)).toBeGreaterThan(3_000)
    expect(await sounds.notice('busy', 'es-es')).toBe(first)
    expect(speaker.asked).toHaveLength(1)
    expect(first.name).toBe('notice busy es-es')
    await sounds.notice('incoming', 'es-es', { name: 'Ana' })
    expect(speaker.asked.at(-1)).toContain('Tiene una llamada de Ana.')
  })

  it('plays all notices at the same level', async () => {
    const { sounds } = library()
    const loud = await sounds.notice('connecting', 'en-us')
    const soft = await sounds.notice('goodbye', 'en-us')
    for (const { pcm } of [loud, soft]) expect(dbfs(rms(pcm))).toBeCloseTo(-20, 0)
  })

  it('translates notices for languages without their own texts', async () => {
    const { sounds, speaker } = library()
    await sounds.notice('goodbye', 'ca-es')
    expect(speaker.asked).toEqual(['en-us to ca-es: Goodbye.', 'ca-es: in ca-es'])
  })

  it('plays a tone when speech is not ready in time, and the notice the next time', async () => {
    const { sounds, speaker, clock } = library()
    const gate = Promise.withResolvers<void>()
    speaker.slow = gate.promise
    const waiting = sounds.notice('busy', 'en-us')
    clock.advance(1_999)
    clock.advance(1)
    expect((await waiting).name).toBe('tone busy')
    gate.resolve()
    expect((await sounds.notice('busy', 'en-us')).name).toBe('notice busy en-us')
    expect(speaker.asked).toHaveLength(1)
  })

  it('plays a tone when speech fails, logs the failure without the text, and tries again', async () => {
    const { sounds, speaker, log } = library()
    speaker.broken = true
    expect((await sounds.notice('service-unavailable', 'en-us')).name).toBe('tone unavailable')
    expect(log.complaints).toHaveLength(1)
    expect(log.complaints.join()).not.toContain('interrupted')
    speaker.broken = false
    expect((await sounds.notice('service-unavailable', 'en-us')).name).toBe(
      'notice service-unavailable en-us',
    )
  })

  it('prefers recordings of the operator, first those of the region', async () => {
    const [language, region] = [await toneFile(1_000), await toneFile(1_500)]
    const { sounds, speaker } = library({
      notices: { es: { busy: language }, 'es-mx': { busy: region } },
    })
    expect(pitch((await sounds.notice('busy', 'es-es')).pcm, 1_000)).toBeGreaterThan(3_000)
    expect(pitch((await sounds.notice('busy', 'es-mx')).pcm, 1_500)).toBeGreaterThan(3_000)
    expect(speaker.asked).toEqual([])
  })

  it('plays only configured files, by name', async () => {
    const { sounds } = library({ files: { hold: await toneFile(700) } })
    expect(pitch((await sounds.file('hold')).pcm, 700)).toBeGreaterThan(3_000)
    for (const name of ['../hold', 'toString', '/etc/passwd'])
      await expect(sounds.file(name)).rejects.toMatchObject({ code: 'CONFIG' })
  })

  it('detects unplayable files at start', async () => {
    const { sounds } = library({ files: { hold: '/nowhere/hold.ogg' } })
    await expect(sounds.check()).rejects.toThrow('sound file /nowhere/hold.ogg: cannot be read (ENOENT)')
    await library({ files: { hold: await toneFile(700) } }).sounds.check()
  })

  it('speaks any text in any language, translating it first if needed', async () => {
    const { sounds, speaker } = library()
    expect(pitch((await sounds.say('Hello.', 'en-us', 'es-es')).pcm, 600)).toBeGreaterThan(3_000)
    await sounds.say('Hello.', 'en-us', 'en-gb')
    expect(speaker.asked).toEqual(['en-us to es-es: Hello.', 'es-es: in es-es', 'en-gb: Hello.'])
    speaker.broken = true
    await expect(sounds.say('Hello.', 'en-us', 'es-es')).rejects.toMatchObject({
      code: 'SPEECH_UNAVAILABLE',
      retryable: true,
    })
  })
})
