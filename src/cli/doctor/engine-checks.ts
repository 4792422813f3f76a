import type { Config } from '../../app/settings/load.ts'
import type { EngineKind } from '../../service/engines/engine.ts'
import { type ExaminedEngine, engineNamed, examineInstalled } from '../../service/engines/settings.ts'
import { type ConfiguredEngine, choiceOf, configuredEngines } from '../engines/configured-engines.ts'
import { type EngineTest, testEngine } from '../engines/engine-test.ts'
import { SETUP } from '../engines.ts'
import { sampleSentence } from '../sample-audio.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { installedModelChecks, modelChecks } from './model-checks.ts'
import { statusOf } from './requests.ts'

/** Time for one sentence through an engine, in addition to its duration (ms). */
const SENTENCE_MS = 20_000
/** The work of an installed engine, by its kind. */
const WORK: Readonly<Record<EngineKind, string>> = {
  transcription: 'speech recognition',
  translation: 'translation',
  synthesis: 'voices',
  interpretation: 'interpretation',
}

export interface EngineCheckOptions {
  /** Send a sentence to engines that are not on this machine, too (default). */
  readonly live?: boolean | undefined
}

/** Checks each engine with a real sentence, servers first whether they respond and accept the key. */
export function sentenceChecks(
  engines: readonly ConfiguredEngine[],
  { live = true }: EngineCheckOptions = {},
): Promise<Check[]> {
  const check = async (engine: ConfiguredEngine) => {
    const name = `${engine.kind}: ${engine.name}`
    return (await serverCheck(name, engine)) ?? (await sentenceCheck(name, engine, live))
  }
  // Those in a process of this machine run one after the other: several models could need too much memory.
  let before: Promise<unknown> = Promise.resolve()
  return Promise.all(
    engines.map(engine => {
      if (engine.host !== undefined) return check(engine)
      const own = before.then(() => check(engine))
      before = own
      return own
    }),
  )
}

/** Returns the problem of the server of an engine; undefined without a problem or a server. */
async function serverCheck(name: string, engine: ConfiguredEngine): Promise<Check | undefined> {
  const { engine: entry, url, apiKey, apiKeyFile } = choiceOf(engine)
  const { question } = engineNamed(engine.kind, entry)
  // A key in a file is read by the engine itself.
  if (url === undefined || question === undefined || apiKeyFile !== undefined) return undefined
  const status = await statusOf(url + question.path, question.keyless ? undefined : apiKey)
  if (status === undefined)
    return fail(name, `nothing answers at ${url}`, 'check that it is running, and check its url')
  if (status === 401 || status === 403) return fail(name, `${url} answered ${status}`, keyFix(engine))
  if (status >= 500) return fail(name, `${url} answered ${status}`, 'see the log of the server')
  if (status >= 300 && status < 400)
    return fail(name, `${url} answered ${status}, a redirect`, 'set its url to the redirect target')
  return undefined
}

function keyFix({ key }: ConfiguredEngine): string {
  return key === 'none' ? 'set its apiKey' : 'check its apiKey'
}

/** Not all servers have a list of models, and a listed one can still reject requests: only a sentence shows it. */
async function sentenceCheck(name: string, engine: ConfiguredEngine, live: boolean): Promise<Check> {
  const languages = engine.languages ? Array.from(new Set(engine.languages)).join(' ') : 'all its languages'
  const what = `${choiceOf(engine).url ?? engine.host ?? 'on this machine'}, for ${languages}`
  if (!live && !engine.local)
    return warn(name, `${what}: not tested`, 'leave out --no-live to send a sentence')
  const sentence = { ...(await sampleSentence()), transcribed: true }
  const trial = { to: 'es-es', live: true, anyLanguage: true, limitMs: SENTENCE_MS }
  const test = await testEngine(engine, { sentence, ...trial })
  if (test.outcome === 'ok') return ok(name, `${what}: ${described(test)}`)
  if (test.outcome === 'skipped') return ok(name, `${what}: not tested, ${test.reason}`)
  return fail(
    name,
    `${what}: ${test.reason}`,
    /answered 40[13]\b/.test(test.reason ?? '')
      ? keyFix(engine)
      : 'check its model and settings; until then the next engine is used',
  )
}

function described({ kind, from, to, wordErrorRate, speech, times }: EngineTest): string {
  const time = `in ${((times?.total ?? 0) / 1_000).toFixed(1)} s`
  if (kind === 'translation') return `translated a sentence from ${from} into ${to} ${time}`
  if (kind === 'synthesis')
    return `spoke with ${speech?.voice}, first sound after ${Math.round(times?.firstSound ?? 0)} ms`
  const errors = wordErrorRate === undefined ? '' : ` with ${wordErrorRate.toFixed(0)} % word errors`
  const final = `final text ${Math.round(times?.final ?? 0)} ms after its end`
  if (kind === 'transcription') return `understood a sentence in ${from}${errors}, ${final}`
  return `interpreted a sentence from ${from} into ${to}${errors}, ${final}`
}

/** Checks the engines of the embedded service; none if another service is configured. */
export async function engineChecks(config: Config, options: EngineCheckOptions = {}): Promise<Check[]> {
  if (config.service.url !== undefined) return []
  const { engines } = config.embedded
  const examined = await examineInstalled(engines)
  const installed = examined.map(engine => installedCheck(WORK[engine.kind], engine))
  const models = [...(await modelChecks(engines)), ...(await installedModelChecks(config.embedded))]
  // A sentence would only repeat what is missing on this machine.
  const missing = [...installed, ...models].some(({ status }) => status === 'fail')
  const usable = (await configuredEngines(config.embedded)).filter(
    ({ host }) => host !== undefined || !missing,
  )
  return [...installed, ...models, ...(await sentenceChecks(usable, options))]
}

/** Reports an installed engine, by `name`. */
export function installedCheck(name: string, engine: ExaminedEngine): Check {
  const { examination } = engine
  if (!engine.enabled) return off(name, engine.name)
  if ('found' in examination) return ok(name, examination.found)
  return fail(name, examination.missing, install(examination.packages))
}

function off(name: string, engine: string): Check {
  return warn(name, `${engine} is disabled`, `set embedded.engines.${engine}.enabled to true, or service.url`)
}

function install(packages: string): string {
  return `${SETUP}, which is sudo apt-get install --no-install-recommends ${packages}\nor set service.url to a service of yours`
}
