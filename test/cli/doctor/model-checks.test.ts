import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modelChecks, modelFileChecks } from '../../../src/cli/doctor/model-checks.ts'
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
  it('fail with the missing files and where to get them, without being loaded', async () => {
    const { transcription } = engines({
      transcription: [{ engine: 'sherpa', model: join(models.folder, 'nowhere'), languages: ['en-us'] }],
    })
    const never = { loadModel: () => Promise.reject(new Error('loaded')) }
    const [check] = await modelChecks({ ...engines({}), transcription }, never)
    expect(check).toMatchObject({ status: 'fail', found: `${join(models.folder, 'nowhere')} does not exist` })
    expect(check?.fix).toContain('https://github.com/k2-fsa/sherpa-onnx/releases/tag/asr-models')
  })

  it('are listed without being loaded', async () => {
    const half = await models.write('half', { ...ctcFiles(), 'voices.bin': 'voices' })
    const settings = engines({
      transcription: [{ engine: 'sherpa', model: models.whisper, languages: ['en-us'] }],
      synthesis: [{ engine: 'sherpa', model: half, languages: ['en-us'], gender: 'F' }],
    })
    const [first, second] = await modelFileChecks(settings)
    expect(first).toMatchObject({ status: 'ok', found: `${models.whisper}, whisper, 1 MB` })
    expect(second).toMatchObject({
      status: 'fail',
      found: `${half} has no espeak-ng-data, for a kokoro model`,
    })
  })
})
