import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  Espeak,
  parseVariants,
  parseVoices,
  voiceList,
} from '../../../../src/service/engines/local/espeak.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { synthesizerChecks } from '../../../support/conformance/synthesizer.ts'

conforms(
  'eSpeak NG speaks',
  synthesizerChecks,
  () => Espeak.create(),
  engine => engine.close(),
)

const VOICES = `Pty Language       Age/Gender VoiceName          File                 Other Languages
 5  es              --/M      Spanish_(Spain)    roa/es
 5  es-419          --/M      Spanish_(Latin_America) roa/es-419           (es-mx 6)(es 6)
 5  pt              --/M      Portuguese_(Portugal) roa/pt               (pt-pt 5)
 8  it              --/M      italian-mbrola-3   mb/mb-it3
`
const VARIANTS = `Pty Language       Age/Gender VoiceName          File                 Other Languages
 5  variant         --/F      female3            !v/f3
`

test('voices: omits entries without data, lists female variants, and names borrowed voices', () => {
  const voices = voiceList(parseVoices(VOICES), parseVariants(VARIANTS)).map(({ entry }) => entry)
  expect(new Set(voices.map(voice => voice.languageId))).toEqual(
    new Set(['es-es', 'es-mx', 'es-419', 'gl-es', 'pt-pt']),
  )
  expect(voices.find(voice => voice.voiceId === 'espeak-es-es-f3')).toMatchObject({ voiceGender: 'F' })
  expect(voices.find(voice => voice.voiceId === 'espeak-gl-es')?.name).toContain('Portuguese voice')
  expect(voices.some(voice => voice.voiceEngine !== 'standard')).toBe(false)
})

describe('a program that', () => {
  afterEach(() => vi.unstubAllEnvs())

  test('is missing is reported', async () => {
    vi.stubEnv('PATH', '/nowhere')
    await expect(Espeak.create()).rejects.toMatchObject({
      name: 'EngineError',
      kind: 'synthesis',
    })
  })

  test('crashes during a sentence is reported', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dragoman-espeak-'))
    await writeFile(join(folder, 'voices'), VOICES)
    const script = `#!/bin/sh\ncase "$1" in --voices*) exec cat "${folder}/voices";; esac\nexit 3\n`
    await writeFile(join(folder, 'espeak-ng'), script, { mode: 0o700 })
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
    const engine = await Espeak.create()
    const whole = async () => {
      const voice = engine.voices[0]!.voiceId
      const speech = await engine.speak('palabra', voice, new AbortController().signal)
      for await (const _ of speech.pieces);
    }
    await expect(whole()).rejects.toMatchObject({ message: 'espeak-ng: ended with 3' })
    await rm(folder, { recursive: true })
  })
})
