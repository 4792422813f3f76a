import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadModel, type ModelChoice, modelChecks } from '../../../src/cli/doctor/model-checks.ts'
import { serviceSettings } from '../../../src/service/server/settings.ts'
import { ctcFiles } from '../../support/engines/sherpa/streaming-tone-models.ts'
import { HAS_SHERPA, type ToneModels, writeToneModels } from '../../support/engines/sherpa/tone-engines.ts'

let models: ToneModels

beforeAll(async () => {
  models = await writeToneModels()
})
afterAll(() => models[Symbol.asyncDispose]())

function engines(lists: object) {
  return serviceSettings({ apiKeys: ['unused'], engines: lists }).engines
}

describe.skipIf(!HAS_SHERPA)('models of the settings', () => {
  it('are each loaded in a process, one after the other', async () => {
    const settings = engines({
      transcription: [
        { engine: 'pocketsphinx' },
        { engine: 'sherpa', model: models.ctc, languages: ['en-us'] },
      ],
      synthesis: [{ engine: 'sherpa', model: models.vits, languages: ['en-us'], gender: 'F' }],
    })
    const loaded: ModelChoice['task'][] = []
    const checks = await modelChecks(settings, {
      loadModel: async model => {
        loaded.push(model.task)
        return loadModel(model)
      },
    })
    expect(loaded).toEqual(['transcription', 'synthesis'])
    expect(checks.map(({ name, status }) => [name, status])).toEqual([
      ['transcription 2: sherpa', 'ok'],
      ['synthesis 1: sherpa', 'ok'],
    ])
    expect(checks[0]?.found).toMatch(/ctc, streaming-zipformer2-ctc, 1 MB: loaded in \d+\.\d s$/)
  })

  it('fail with the reason of the library', async () => {
    const model = await models.write('no-blank', { ...ctcFiles(), 'tokens.txt': 'A 0\n' })
    const settings = engines({ transcription: [{ engine: 'sherpa', model, languages: ['en-us'] }] })
    const [check] = await modelChecks(settings, { loadModel })
    expect(check?.status).toBe('fail')
    expect(check?.found).toMatch(/cannot load the model: ended with .*blk/)
  })
})
