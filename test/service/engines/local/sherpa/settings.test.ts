import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildService } from '../../../../../src/service/server/service.ts'
import { serviceSettings } from '../../../../../src/service/server/settings.ts'
import {
  HAS_SHERPA,
  type ToneModels,
  writeToneModels,
} from '../../../../support/engines/sherpa/tone-engines.ts'
import { LogLines } from '../../../../support/log-lines.ts'

let models: ToneModels

beforeAll(async () => {
  models = await writeToneModels()
})
afterAll(() => models[Symbol.asyncDispose]())

const settings = (engines: object) => serviceSettings({ apiKeys: ['unused'], engines })

describe('settings of sherpa-onnx', () => {
  it('have a default for everything but the model and its languages', () => {
    const { transcription } = settings({
      transcription: [{ engine: 'sherpa', model: './m', languages: ['en-us'] }],
    }).engines
    expect(transcription[0]).toMatchObject({
      threads: 1,
      processes: 1,
      pauseMs: 400,
    })
  })

  it('require a detector for the identification of languages', () =>
    expect(() =>
      settings({
        transcription: [{ engine: 'sherpa', model: './m', languages: ['en-us'], languageModel: './whisper' }],
      }),
    ).toThrow(/requires vad[\s\S]*languageModel/))

  it.each([
    [{}],
    [{ languages: ['en-us'] }],
    [{ gender: 'M' }],
    [{ languages: ['en-us'], gender: 'M', voices: [{ voice: 'a', languages: ['en-us'], gender: 'M' }] }],
  ])('require either one voice or several: %o', more =>
    expect(() => settings({ synthesis: [{ engine: 'sherpa', model: './m', ...more }] })).toThrow(
      'either languages and gender, or voices',
    ),
  )

  it.skipIf(!HAS_SHERPA)(
    'select the engines of a service, without those that cannot be loaded',
    async () => {
      const log = new LogLines()
      const service = await buildService(
        {
          apiKeys: ['a-key'],
          engines: {
            transcription: [
              { engine: 'sherpa', model: `${models.folder}/nowhere`, languages: ['de-de'] },
              { engine: 'sherpa', model: models.ctc, vad: models.vad, languages: ['fr-fr'] },
            ],
            synthesis: [{ engine: 'sherpa', model: models.vits, languages: ['fr-fr'], gender: 'F' }],
          },
        },
        { log },
      )
      try {
        expect(service.engines.recognizer('fr-fr')?.name).toBe('sherpa')
        expect(service.engines.recognizer('de-de')).toBeUndefined()
        expect(service.engines.voice('fr-fr')?.entry.voiceId).toBe('sherpa-fr-fr-vits')
        const warned = log.all.filter(({ message }) => message === 'engine not available')
        expect(warned.map(({ fields }) => fields)).toContainEqual({
          engine: 'sherpa',
          kind: 'transcription',
          reason: `sherpa: ${models.folder}/nowhere does not exist`,
        })
      } finally {
        await service.close()
      }
    },
    60_000,
  )
})
