import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { loadConfig } from '../../../src/app/settings/load.ts'
import { configuredEngines, type openAlone } from '../../../src/cli/engines/configured-engines.ts'
import type { EngineTest } from '../../../src/cli/engines/engine-test.ts'
import { listEngines } from '../../../src/cli/engines/inventory.ts'
import { type TestEnginesOptions, testEngines } from '../../../src/cli/engines/test-report.ts'
import { Terminal } from '../../../src/cli/terminal.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { EngineSet } from '../../../src/service/engines/engine-set.ts'
import { serveRecognizers } from '../../../src/service/engines/serve.ts'
import { Phrasebook } from '../../../src/service/engines/vocabulary/phrasebook.ts'
import { Vocabulary, vocabularySchema } from '../../../src/service/engines/vocabulary/vocabulary.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { FakeSynthesizer, FakeTranslator } from '../../support/engines/fake-engines.ts'
import { ScriptedEars } from '../../support/engines/scripted-ears.ts'
import { sine } from '../../support/transcode/tone.ts'

const NO_WORDS = vocabularySchema.parse({})
const KEY = 'a-secret-key-of-a-server'
const hosted = { engine: 'openai', url: 'https://api.example.com', apiKey: KEY, model: 'm' }
const config = loadConfig({
  overrides: {
    embedded: {
      engines: {
        transcription: [
          { ...hosted, languages: ['en-us'], price: { perMinute: 0.6 }, budget: { perDay: 5 } },
          { ...hosted, url: 'http://127.0.0.1:8000/v1', languages: ['es-es'] },
        ],
        synthesis: [{ engine: 'espeak', languages: ['es-es'] }],
      },
    },
  } as object,
})

let lines: string[]
let terminal: Terminal
let clock: FakeClock
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engines-'))
  await writeFile(join(folder, 'one.wav'), encodeWav(sine(440, 600, 8_000, 16_000), 16_000))
})
afterAll(() => rm(folder, { recursive: true }))

beforeEach(() => {
  lines = []
  terminal = new Terminal({ write: (text: string) => lines.push(text) > 0, isTTY: false, columns: 80 })
  clock = new FakeClock()
})

/** Advances the clock until `work` has settled. */
async function settled<T>(work: Promise<T>): Promise<T> {
  let open = true
  const end = () => {
    open = false
  }
  work.then(end, end)
  while (open) {
    clock.advance(20)
    await new Promise(resolve => setImmediate(resolve))
  }
  return await work
}

/** Opens fakes instead of all engines; `ears` by the name of the engine. */
function opens(ears: Readonly<Record<string, ScriptedEars>>): typeof openAlone {
  return async ({ kind, name, billing }, usage) => {
    if (kind === 'translation') return new EngineSet({ translators: [new FakeTranslator()] })
    if (kind === 'synthesis') return new EngineSet({ synthesizers: [new FakeSynthesizer()] })
    const own = ears[name]
    if (!own) throw new Error(`${name}: its models are missing`)
    const serving = {
      usage,
      log: noopLogger,
      phrases: new Phrasebook(),
      vocabulary: new Vocabulary(NO_WORDS),
    }
    const served = [{ engine: own, meter: usage.meter(kind, name, billing) }]
    return new EngineSet({ speechToText: serveRecognizers(served, serving) })
  }
}

describe('the configured engines', () => {
  it('are in order, numbered, with the installed ones that are not listed last', async () => {
    expect(
      (await configuredEngines(config.embedded)).map(({ kind, name, local }) => [kind, name, local]),
    ).toEqual([
      ['transcription', 'openai', false],
      ['transcription', 'openai-2', true],
      ['transcription', 'pocketsphinx', true],
      ['translation', 'apertium', true],
      ['synthesis', 'espeak', true],
    ])
  })

  it('have settings for themselves alone, without their budget', async () => {
    const [first, , pocketsphinx] = await configuredEngines(config.embedded)
    const { engines } = first!.settings
    expect(engines.transcription).toMatchObject([{ engine: 'openai', languages: ['en-us'] }])
    expect(engines.transcription[0]).not.toHaveProperty('budget')
    expect(engines.synthesis).toEqual([])
    expect([engines.pocketsphinx.enabled, engines.apertium.enabled, engines.espeak.enabled]).toEqual([
      false,
      false,
      false,
    ])
    expect(pocketsphinx!.settings.engines.pocketsphinx.enabled).toBe(true)
    expect(pocketsphinx!.settings.engines.transcription).toEqual([{ engine: 'pocketsphinx' }])
  })
})

describe('dragoman engines list', () => {
  it('shows where each is and whether it has a key, contacts no server, and shows no key', async () => {
    const opened: string[] = []
    const open: typeof openAlone = (engine, usage) => {
      opened.push(engine.name)
      return opens({ pocketsphinx: new ScriptedEars([]) })(engine, usage)
    }
    await listEngines(config, {}, terminal, open)
    const text = lines.join('')
    expect(opened).toEqual(['pocketsphinx', 'apertium', 'espeak'])
    expect(text).toMatch(
      /transcription +openai +en-us +api\.example\.com +set +0\.6 USD per minute +not contacted/,
    )
    expect(text).toMatch(/transcription +openai-2 +es-es +127\.0\.0\.1:8000 +set +not contacted/)
    expect(text).toMatch(/transcription +pocketsphinx +en-us +this machine +none +ready/)
    expect(text).not.toContain(KEY)
    await listEngines(config, { json: true }, terminal, open)
    expect(lines.at(-1)).not.toContain(KEY)
    expect(JSON.parse(lines.at(-1)!)[0]).toMatchObject({
      engine: 'openai',
      key: 'set',
      budget: { perDay: 5 },
    })
  })

  it('shows why an engine is not available', async () => {
    await listEngines(config, {}, terminal, opens({}))
    expect(lines.join('')).toContain('its models are missing')
  })
})

describe('dragoman engines test', () => {
  const test = (options: TestEnginesOptions) => settled(testEngines(config, { clock, ...options }, terminal))

  it('measures each step, counts word errors, and skips what is not on this machine', async () => {
    const ears = new ScriptedEars(['one four'])
    const open = opens({ pocketsphinx: ears })
    const file = join(folder, 'one.wav')
    const code = await test({ open, file, text: 'one three', from: 'en-us', json: true, to: 'es-es' })
    const results = JSON.parse(lines.join('')) as EngineTest[]
    expect(results.map(({ engine, outcome }) => [engine, outcome])).toEqual([
      ['openai', 'skipped'],
      ['openai-2', 'failed'],
      ['pocketsphinx', 'ok'],
      ['apertium', 'ok'],
      ['espeak', 'ok'],
    ])
    expect(code).toBe(1)
    expect(results[0]!.reason).toBe('at api.example.com, which only --live contacts')
    expect(results[1]!.reason).toBe('its models are missing')
    const { text, wordErrorRate, times } = results[2]!
    expect({ text, wordErrorRate }).toEqual({ text: 'one four', wordErrorRate: 50 })
    // Text from the first piece on; the utterance ends after a pause of 500 ms.
    expect(times!.firstText).toBeLessThan(130)
    expect(times!.final).toBeGreaterThan(440)
    expect(times!.final).toBeLessThan(640)
    expect(results[3]).toMatchObject({ translation: 'ONE THREE', from: 'en-us', to: 'es-es' })
    expect(results[4]).toMatchObject({ speech: { voice: 'one', ms: 600, bytes: 26_460 }, to: 'es-es' })
    expect(ears.closed).toBe(true)
    // At real time, with silence until the text was complete.
    expect(ears.samples).toBeGreaterThan(16 * 1_800)
    expect(ears.samples).toBeLessThan(16 * 2_500)
  })

  it('contacts a server with --live, and shows the cost', async () => {
    const open = opens({ openai: new ScriptedEars(['one three']) })
    const file = join(folder, 'one.wav')
    const code = await test({
      open,
      name: 'transcription/openai',
      file,
      text: 'one three',
      from: 'en-us',
      live: true,
    })
    const text = lines.join('')
    expect(code).toBe(0)
    expect(text).toContain('✓ transcription  openai  en-us')
    expect(text).toContain('“one three”')
    expect(text).toMatch(/final text after the sentence \d+ ms .* word errors 0 % · cost 0\.02\d USD/)
  })

  it('fails an engine that returns nothing, within the patience', async () => {
    const open = opens({ pocketsphinx: new ScriptedEars([]) })
    expect(await test({ open, name: 'pocketsphinx', file: join(folder, 'one.wav'), from: 'en-us' })).toBe(1)
    expect(lines.join('')).toContain('no text within 15000 ms of the end of the sentence')
  })

  it('fails an engine that does not open', async () => {
    const open: typeof openAlone = () => new Promise(() => {})
    expect(await test({ open, name: 'apertium', text: 'hello', limitMs: 2_000 })).toBe(1)
    expect(lines.join('')).toContain('no result within 2 s')
  })

  it('names the engines when none has the name', async () => {
    await expect(test({ name: 'opnai' })).rejects.toThrow(
      'no engine is called "opnai"; the engines are transcription/openai, transcription/openai-2',
    )
  })
})
