import { join } from 'node:path'
import type { Config } from '../../config/load.ts'
import { type ConfiguredEngine, choiceOf, configuredEngines } from '../engines/configured-engines.ts'
import type { EngineTest } from '../engines/engine-test.ts'
import { SETUP } from '../engines.ts'
import { type Check, fail, ok, warn } from './check.ts'
import type { DoctorEnvironment } from './environment.ts'
import { modelChecks } from './model-checks.ts'
import { retirementChecks } from './model-retirement.ts'

type Engines = Config['embedded']['engines']

/** Requests that some servers answer without work. */
const QUESTION: Readonly<Record<string, string>> = {
  openai: '/v1/models',
  libretranslate: '/languages',
  piper: '/voices',
}

export interface EngineCheckOptions {
  /** Send a sentence to engines that are not on this machine, too (default). */
  readonly live?: boolean | undefined
}

/** Checks each engine with a real sentence, servers first whether they respond and accept the key. */
export function sentenceChecks(
  engines: readonly ConfiguredEngine[],
  around: DoctorEnvironment,
  { live = true }: EngineCheckOptions = {},
): Promise<Check[]> {
  const check = async (engine: ConfiguredEngine) => {
    const name = `${engine.kind}: ${engine.name}`
    return (await serverCheck(name, engine, around)) ?? (await sentenceCheck(name, engine, live, around))
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
async function serverCheck(
  name: string,
  engine: ConfiguredEngine,
  around: DoctorEnvironment,
): Promise<Check | undefined> {
  const { engine: kind, url, apiKey, apiKeyFile } = choiceOf(engine)
  const question = QUESTION[kind]
  // A key in a file is read by the engine itself.
  if (url === undefined || question === undefined || apiKeyFile !== undefined) return undefined
  // LibreTranslate takes its key in the body and lists its languages without one.
  const status = await around.statusOf(url + question, kind === 'libretranslate' ? undefined : apiKey)
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
async function sentenceCheck(
  name: string,
  engine: ConfiguredEngine,
  live: boolean,
  around: DoctorEnvironment,
): Promise<Check> {
  const languages = engine.languages ? Array.from(new Set(engine.languages)).join(' ') : 'all its languages'
  const what = `${choiceOf(engine).url ?? engine.host ?? 'on this machine'}, for ${languages}`
  if (!live && !engine.local)
    return warn(name, `${what}: not tested`, 'leave out --no-live to send a sentence')
  const test = await around.testEngine(engine)
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
export async function engineChecks(
  config: Config,
  around: DoctorEnvironment,
  options: EngineCheckOptions = {},
): Promise<Check[]> {
  if (config.service.url !== undefined) return []
  const { pocketsphinx, apertium, espeak, flite } = config.embedded.engines
  const installed = await Promise.all([
    recognition(pocketsphinx, around),
    translation(apertium, around),
    voices(espeak, around),
  ])
  const models = await modelChecks(config.embedded.engines, around)
  // A sentence would only repeat what is missing on this machine.
  const missing = [...installed, ...models].some(({ status }) => status === 'fail')
  const usable = configuredEngines(config.embedded).filter(({ host }) => host !== undefined || !missing)
  return [
    ...installed,
    ...(await moreVoices(flite, around)),
    ...models,
    ...(await sentenceChecks(usable, around, options)),
    ...(await retirementChecks(usable, around)),
  ]
}

/** PocketSphinx: two libraries and a folder of models. */
export async function recognition(
  engine: Engines['pocketsphinx'],
  around: DoctorEnvironment,
): Promise<Check> {
  const name = 'speech recognition'
  if (!engine.enabled) return off(name, 'pocketsphinx')
  for (const library of [engine.library, engine.base]) {
    const reason = await around.loadLibrary(library)
    if (reason !== undefined)
      return fail(
        name,
        `${library} cannot be loaded: ${reason}`,
        install('libpocketsphinx3 pocketsphinx-en-us'),
      )
  }
  for (const part of ['en-us/mdef', 'en-us.lm.bin', 'cmudict-en-us.dict'])
    if (!(await around.exists(join(engine.models, part))))
      return fail(name, `no ${part} in ${engine.models}`, install('pocketsphinx-en-us'))
  return ok(name, `PocketSphinx, models in ${engine.models}`)
}

/** Apertium: a folder of modes, one per direction. */
export async function translation(engine: Engines['apertium'], around: DoctorEnvironment): Promise<Check> {
  const name = 'translation'
  if (!engine.enabled) return off(name, 'apertium')
  const files = await around.list(engine.modes)
  const modes = files.filter(file => /^[a-z]{2,3}-[a-z]{2,3}\.mode$/.test(file))
  if (modes.length === 0)
    return fail(name, `no modes in ${engine.modes}`, install('apertium apertium-eng-spa'))
  const directions = modes.map(file => file.slice(0, -'.mode'.length)).sort()
  return ok(name, `Apertium, ${directions.length} directions: ${directions.slice(0, 8).join(' ')}`)
}

/** eSpeak NG: a program. */
export async function voices(engine: Engines['espeak'], around: DoctorEnvironment): Promise<Check> {
  const name = 'voices'
  if (!engine.enabled) return off(name, 'espeak')
  const answer = await around.ask(engine.command, ['--version'])
  if (answer === undefined) return fail(name, `${engine.command} cannot be run`, install('espeak-ng'))
  return ok(name, answer.split('  ')[0] ?? answer)
}

/** flite: an optional program. */
export async function moreVoices(engine: Engines['flite'], around: DoctorEnvironment): Promise<Check[]> {
  const answer = engine.enabled ? await around.ask(engine.command, ['-lv']) : undefined
  if (answer === undefined) return []
  return [ok('English voices', `flite, ${answer.replace(/^Voices available:\s*/, '').trim()}`)]
}

function off(name: string, engine: string): Check {
  return warn(name, `${engine} is disabled`, `set embedded.engines.${engine}.enabled to true, or service.url`)
}

function install(packages: string): string {
  return `${SETUP}, which is sudo apt-get install --no-install-recommends ${packages}\nor set service.url to a service of yours`
}
