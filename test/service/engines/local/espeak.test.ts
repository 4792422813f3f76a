import { expect, test } from 'vitest'
import {
  Espeak,
  parseVariants,
  parseVoices,
  voiceList,
} from '../../../../src/service/engines/local/espeak.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { synthesizerChecks } from '../../../support/conformance/synthesizer.ts'
import { ENGINES } from '../../../support/engines/engine-settings.ts'

conforms(
  'eSpeak NG speaks',
  synthesizerChecks,
  () => Espeak.create(ENGINES.espeak),
  engine => engine.close(),
)

test('reports a missing installation', async () => {
  await expect(Espeak.create({ ...ENGINES.espeak, command: 'no-such-espeak' })).rejects.toMatchObject({
    name: 'EngineError',
    kind: 'synthesis',
  })
})

test('reports a program that crashes during a sentence', async () => {
  const engine = await Espeak.create({ ...ENGINES.espeak, timeoutMs: 1 })
  const whole = async () => {
    const voice = engine.voices[0]!.voiceId
    const speech = await engine.speak('palabra '.repeat(3_000), voice, new AbortController().signal)
    for await (const _ of speech.pieces);
  }
  await expect(whole()).rejects.toMatchObject({ name: 'EngineError', kind: 'synthesis' })
})

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
