import type { Config } from '../../app/settings/load.ts'
import { type Clock, systemClock } from '../../common/clock.ts'
import { type Logger, noopLogger } from '../../common/log.ts'
import { systemWallClock } from '../../common/wall-clock.ts'
import { isLoopback } from '../../net/client-address.ts'
import type { EngineKind } from '../../service/engines/engine.ts'
import type { EngineSet } from '../../service/engines/engine-set.ts'
import type { OpenSettings } from '../../service/engines/open-engines.ts'
import {
  ENGINE_KINDS,
  type EngineEntry,
  type EngineSettings,
  installedNames,
} from '../../service/engines/settings.ts'
import { ThreadUse } from '../../service/engines/thread-budget.ts'
import type { Billing } from '../../service/engines/usage/billing.ts'
import type { EngineUsage } from '../../service/engines/usage/engine-usage.ts'
import { withModels } from '../../service/engines/with-models.ts'

type Embedded = Config['embedded']

/** An engine of the settings, or an installed engine not listed there. */
export interface ConfiguredEngine {
  readonly kind: EngineKind
  /** As in the settings; unique within its kind: the second engine of a name is called `name-2`. */
  readonly name: string
  /** Host that is contacted; undefined for engines that run here. */
  readonly host: string | undefined
  /** True if it runs on this machine. */
  readonly local: boolean
  readonly key: 'set' | 'none'
  /** Languages of the settings; undefined if they do not limit it. */
  readonly languages: readonly string[] | undefined
  readonly model: string | undefined
  readonly billing: Billing
  /** The settings with this engine alone. */
  readonly settings: OpenSettings
}

/** Returns the engines in order of preference, by kind, with those of the installed models. */
export async function configuredEngines(given: Embedded): Promise<ConfiguredEngine[]> {
  const embedded = { ...given, ...(await withModels(given.engines, given.models)) } as Embedded
  return ENGINE_KINDS.flatMap(kind => {
    const listed = listOf(embedded.engines, kind)
    const rest = installedNames(kind)
      .filter(name => embedded.engines[name].enabled)
      .filter(name => listed.every(({ engine }) => engine !== name))
    const all: EngineEntry[] = [...listed, ...rest.map(engine => ({ engine }))]
    return all.map((choice, index) => described(kind, choice, nameOf(all, index), embedded))
  })
}

function nameOf(all: readonly EngineEntry[], index: number): string {
  const { engine } = all[index]!
  const before = all.slice(0, index).filter(other => other.engine === engine).length
  return before === 0 ? engine : `${engine}-${before + 1}`
}

function described(
  kind: EngineKind,
  choice: EngineEntry,
  name: string,
  embedded: Embedded,
): ConfiguredEngine {
  const { url, apiKey, apiKeyFile, model, languages, voices, price, budget } = choice
  const address = url === undefined ? undefined : URL.parse(url)
  const host = address?.host
  return {
    ...{ kind, name, host, model },
    local: address ? isLoopback(address.hostname) : host === undefined,
    key: apiKey === undefined && apiKeyFile === undefined ? 'none' : 'set',
    languages: languages ?? voices?.flatMap(voice => voice.languages ?? []),
    billing: { price, budget },
    settings: alone(kind, choice, embedded),
  }
}

/** Returns the settings of the engine itself, with its key. */
export function choiceOf({ kind, settings }: ConfiguredEngine): EngineEntry {
  return (settings.engines as unknown as Record<EngineKind, readonly EngineEntry[]>)[kind][0]!
}

/** Returns the settings with only one engine enabled. Its budget does not apply to trials. */
function alone(kind: EngineKind, choice: EngineEntry, embedded: Embedded): OpenSettings {
  const engines: Record<string, unknown> = { ...embedded.engines }
  for (const each of ENGINE_KINDS) if (listOf(embedded.engines, each).length > 0) engines[each] = []
  for (const name of installedNames())
    engines[name] = {
      ...embedded.engines[name],
      enabled: name === choice.engine && embedded.engines[name].enabled,
    }
  const { budget: _, ...unlimited } = choice
  engines[kind] = [unlimited]
  return {
    ...embedded,
    engines: engines as unknown as EngineSettings,
    models: undefined,
    phrasebook: undefined,
    voices: {},
  }
}

function listOf(engines: EngineSettings, kind: EngineKind): readonly EngineEntry[] {
  return (engines as Partial<Record<EngineKind, readonly EngineEntry[]>>)[kind] ?? []
}

/** Opens only the engine of `settings`. The caller closes the set. Rejects if it is not available. */
export async function openAlone(
  { name, settings }: ConfiguredEngine,
  usage: EngineUsage,
  clock: Clock = systemClock,
): Promise<EngineSet> {
  const { openEngines } = await import('../../service/engines/open-engines.ts')
  let reason = 'is disabled'
  const log: Logger = {
    ...noopLogger,
    warn: (fields: { readonly reason?: unknown }) => {
      reason = String(fields.reason)
    },
  }
  const set = await openEngines(settings, new ThreadUse(clock), {
    clock,
    wallClock: systemWallClock,
    log,
    usage,
  })
  const { speechToText, translators, synthesizers, interpreters } = set
  if (speechToText.length + translators.length + synthesizers.length + interpreters.length > 0) return set
  await set.close()
  throw new Error(reason.startsWith(`${name}: `) ? reason.slice(name.length + 2) : reason)
}
