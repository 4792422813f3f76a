import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../../../src/common/clock.ts'
import { noopLogger } from '../../../../src/common/log.ts'
import { systemWallClock } from '../../../../src/common/wall-clock.ts'
import { openEngines } from '../../../../src/service/engines/open-engines.ts'
import { ThreadUse } from '../../../../src/service/engines/thread-budget.ts'
import { reportAbsent } from '../../../../src/service/engines/usage/absent-engines.ts'
import { EngineUsage } from '../../../../src/service/engines/usage/engine-usage.ts'
import { serviceSettings } from '../../../../src/service/server/settings.ts'
import { FakeRecognizer } from '../../../support/engines/fake-engines.ts'

const ears = (name: string, languages: string[]) => Object.assign(new FakeRecognizer(), { name, languages })
const reported = (languages: string[] | undefined, position = 0) => {
  const usage = new EngineUsage()
  const engines = [ears('first', ['en-us', 'es-es']), ears('second', ['fr-fr'])]
  reportAbsent('transcription', [{ engine: 'lost', languages, position }], engines, usage)
  return usage
}

test('an engine that serves in place of an absent one is its replacement', () => {
  const usage = reported(['en-us', 'es-es', 'de-de'])
  expect(usage.standIns).toMatchObject([{ engine: 'lost', instead: 'first', why: 'failed' }])
  expect(usage.standIn('transcription', 'first')).toBe('first')
  usage.served('transcription', 'first')
  expect(usage.standIns).toHaveLength(1)
})

test('sessions are not told of a replacement that may concern other languages', () => {
  const usage = reported(['es-es'])
  expect(usage.standIns).toMatchObject([{ engine: 'lost', instead: 'first' }])
  expect(usage.standIn('transcription', 'first')).toBeUndefined()
})

test('only following engines with one of its languages replace an absent one', () => {
  expect(reported(undefined, 1).standIns).toMatchObject([{ instead: 'second' }])
  expect(reported(['en-us'], 1).standIns).toEqual([])
  expect(reported(['de-de']).standIns).toEqual([])
})

test('an engine of the settings that cannot be created is reported; installed ones are not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-absent-'))
  const { engines, ...rest } = serviceSettings({
    apiKeys: ['unused'],
    engines: {
      pocketsphinx: { enabled: false },
      apertium: { modes: join(folder, 'modes') },
      espeak: { enabled: false },
      synthesis: [
        { engine: 'sherpa', model: folder, languages: ['es-es'], gender: 'F' },
        {
          engine: 'openai',
          url: 'http://127.0.0.1:9',
          model: 'm',
          voices: [{ voice: 'v', languages: ['es-es', 'en-us'], gender: 'F' }],
        },
      ],
    },
  })
  const usage = new EngineUsage()
  const around = { clock: systemClock, wallClock: systemWallClock, log: noopLogger, usage }
  const set = await openEngines({ ...rest, engines }, new ThreadUse(systemClock), around)
  expect(usage.standIns).toMatchObject([{ kind: 'synthesis', engine: 'sherpa', instead: 'openai-speech' }])
  await set.close()
  await rm(folder, { recursive: true })
})

test('an engine at its provider without a key is missing at once, and its languages are not offered', async () => {
  const { engines, ...rest } = serviceSettings({
    apiKeys: ['unused'],
    engines: {
      ...{ pocketsphinx: { enabled: false }, apertium: { enabled: false }, espeak: { enabled: false } },
      transcription: [
        { engine: 'openai', url: 'https://api.openai.com', model: 'm', languages: ['es-es'] },
        { engine: 'openai', url: 'http://127.0.0.1:9', model: 'm', languages: ['fr-fr'] },
      ],
    },
  })
  const usage = new EngineUsage()
  const around = { clock: systemClock, wallClock: systemWallClock, log: noopLogger, usage }
  const set = await openEngines({ ...rest, engines }, new ThreadUse(systemClock), around)
  expect(usage.missing).toEqual([
    {
      kind: 'transcription',
      engine: 'openai',
      reason: 'openai: has no API key: set apiKey or OPENAI_API_KEY',
    },
  ])
  expect(set.recognizer('es-es')).toBeUndefined()
  expect(set.recognizer('fr-fr')).toBeDefined()
  await set.close()
})
