/** The available engines and models. */

import type { Config } from '../../app/settings/load.ts'
import type { TextTranslator } from '../../service/engines/engine.ts'
import type { EngineSet } from '../../service/engines/engine-set.ts'
import { LANGUAGE_ROWS } from '../../service/engines/languages.ts'
import { examineInstalled } from '../../service/engines/settings.ts'
import { describePrice } from '../../service/engines/usage/billing.ts'
import { EngineUsage } from '../../service/engines/usage/engine-usage.ts'
import { type Check, renderChecks } from '../doctor/check.ts'
import { installedCheck } from '../doctor/engine-checks.ts'
import { installedModelChecks, modelChecks } from '../doctor/model-checks.ts'
import { columnOf, type Terminal, tableLines } from '../terminal.ts'
import { type ConfiguredEngine, configuredEngines, openAlone } from './configured-engines.ts'

/** Engines as listed; never contains a key. */
interface ListedEngine {
  readonly kind: string
  readonly engine: string
  readonly model?: string | undefined
  /** Empty: all that it knows. */
  readonly languages: readonly string[]
  readonly where: string
  readonly key: 'set' | 'none'
  /** `ready`, `not contacted`, or the reason for not being available. */
  readonly state: string
  readonly price?: string | undefined
  readonly budget?:
    | { readonly perDay?: number | undefined; readonly minutesPerDay?: number | undefined }
    | undefined
}

/**
 * Lists the engines of the embedded service in order of preference. Only engines on this machine are started; the others
 * are not contacted.
 */
export async function listEngines(
  config: Config,
  { json }: { readonly json?: boolean | undefined },
  terminal: Terminal,
  open: typeof openAlone = openAlone,
): Promise<void> {
  const listed: ListedEngine[] = []
  for (const engine of await configuredEngines(config.embedded)) listed.push(await described(engine, open))
  if (json) return terminal.line(JSON.stringify(listed, undefined, 2))
  const head = ['kind', 'engine', 'languages', 'where', 'key', 'price', 'state']
  const rows = listed.map(({ kind, engine, languages, where, key, price = '', state }) => [
    ...[kind, engine, languages.length === 0 ? 'its own' : columnOf(languages), where, key, price, state],
  ])
  for (const line of tableLines([head, ...rows])) terminal.line(line)
  if (config.service.url !== undefined)
    terminal.line(`Not in use: ${config.service.url} translates (service.url).`)
}

async function described(engine: ConfiguredEngine, open: typeof openAlone): Promise<ListedEngine> {
  const { kind, name, host, local, key, model, billing } = engine
  let languages = engine.languages ?? []
  let state = 'not contacted'
  // An address on this machine is a server, too: it is not contacted.
  if (local && host === undefined)
    try {
      const set = await open(engine, new EngineUsage())
      languages = engine.languages ?? languagesOf(set)
      state = 'ready'
      await set.close()
    } catch (error) {
      state = (error as Error).message
    }
  return {
    kind,
    engine: name,
    model,
    languages: Array.from(new Set(languages)),
    where: host ?? 'this machine',
    key,
    state,
    price: describePrice(billing.price),
    budget: billing.budget,
  }
}

function languagesOf({ speechToText, translators, synthesizers, interpreters }: EngineSet): string[] {
  const translates = (engine: Pick<TextTranslator, 'targets'>) =>
    LANGUAGE_ROWS.map(({ id }) => id).filter(id => engine.targets(id).length > 0)
  return [
    ...speechToText.flatMap(({ languages }) => languages),
    ...[...translators, ...interpreters].flatMap(translates),
    ...synthesizers.flatMap(({ voices }) => voices.map(({ languageId }) => languageId)),
  ]
}

/**
 * `dragoman engines models`: the models and programs of the engines on this machine, with where to get what is missing.
 * Returns the exit code: 0 even if some are missing, because others can serve.
 */
export async function showModels(
  config: Config,
  { json }: { readonly json?: boolean | undefined },
  terminal: Terminal,
): Promise<void> {
  const { engines } = config.embedded
  const installed = await examineInstalled(engines)
  const checks: Check[] = [
    ...installed.map(engine => installedCheck(engine.name, engine)),
    ...(await modelChecks(engines)),
    ...(await installedModelChecks(config.embedded)),
  ]
  if (json) return terminal.line(JSON.stringify(checks, undefined, 2))
  for (const line of renderChecks(checks).split('\n')) terminal.line(line)
}
