import { existsSync, readFileSync } from 'node:fs'
import type { DeepReadonly } from '../common/setting-fields.ts'
import { authTokensOf, configSchema, listeningHost, START_SCHEMAS, type Started } from './cross-checks.ts'
import { CONFIG_VARIABLE, type Environment, readEnvironment, type Setting } from './environment.ts'
import { KEYS } from './keys.ts'
import { ConfigError, type Problem, problemsOf } from './problems.ts'
import type { CheckedConfig, ConfigInput } from './schema.ts'
import { readYaml, type YamlFile } from './yaml-file.ts'

export { ConfigError, type Problem } from './problems.ts'
export type { ConfigInput } from './schema.ts'

/** Name of the settings file in the working directory. */
const DEFAULT_FILE = 'dragoman.yaml'

/** The effective settings: checked, complete and frozen. */
export type Config = DeepReadonly<
  Omit<CheckedConfig, 'host' | 'twilio'> & {
    /** Listening address: this machine only, unless a public address asks for outside access. */
    host: string
    twilio: Omit<CheckedConfig['twilio'], 'authToken' | 'authTokens'> & {
      /** None, one, or several during rotation. */
      authTokens: string[]
    }
    /** The settings file, if one was read. */
    file: string | undefined
  }
>

type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> }
    : T

export interface ConfigSources {
  /** Path of the settings file; default: `DRAGOMAN_CONFIG`, otherwise `dragoman.yaml` if it exists. */
  readonly file?: string | undefined
  /** Default: the environment of this process. */
  readonly env?: Environment
  /** Command-line values, which take precedence over everything else. */
  readonly overrides?: DeepPartial<ConfigInput>
  /** The programs to start, which require some settings in combination. */
  readonly starts?: Started
}

/**
 * Loads the settings: defaults, overridden by the file, then the environment, then `overrides`. Only this function
 * reads the environment. Throws a `ConfigError` that lists every fault.
 */
export function loadConfig({ file, env = process.env, overrides = {}, starts }: ConfigSources = {}): Config {
  const problems: Problem[] = []
  const path = file ?? (env[CONFIG_VARIABLE] || (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined))
  const yaml = path === undefined ? undefined : openYaml(path, problems)
  const settings = readEnvironment(env, name => readFileSync(name, 'utf8'), problems)

  const values = withoutNulls(yaml?.values ?? {}) as Table
  for (const { key, value } of settings) put(values, key.path.split('.'), value)
  for (const [keys, value] of leavesOf(overrides)) put(values, keys, value)

  const checked = (starts === undefined ? configSchema : START_SCHEMAS[starts]).safeParse(values)
  if (!checked.success) {
    const source = (keys: readonly PropertyKey[]) => sourceOf(keys, { overrides, settings, yaml })
    problems.push(...problemsOf(checked.error.issues, values, source))
  }
  if (!checked.success || problems.length > 0) throw new ConfigError(withoutRepeats(problems))
  return frozen(complete(checked.data, path))
}

/** Drops the problems of required keys that are only missing because they are set by their former name. */
function withoutRepeats(problems: readonly Problem[]): Problem[] {
  const renamed = new Set(
    problems.map(({ renamedTo }) => KEYS.find(key => key.variable === renamedTo)?.path ?? renamedTo),
  )
  return problems.filter(({ key, found }) => found !== 'nothing' || !renamed.has(key))
}

type Table = Record<PropertyKey, unknown>

function openYaml(path: string, problems: Problem[]): YamlFile | undefined {
  try {
    return readYaml(readFileSync(path, 'utf8'), path, problems)
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException
    problems.push({ key: 'file', source: path, found: `nothing to read (${code})`, allowed: 'a YAML file' })
    return undefined
  }
}

function complete(checked: CheckedConfig, file: string | undefined): Config {
  const { authToken: _, ...twilio } = checked.twilio
  return {
    ...checked,
    host: listeningHost(checked),
    twilio: { ...twilio, authTokens: [...authTokensOf(checked.twilio)] },
    file,
  }
}

/** Returns a copy without null values, so that `twilio:` with all its settings commented out counts as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).filter(([, below]) => below !== null)
  return Object.fromEntries(entries.map(([name, below]) => [name, withoutNulls(below)]))
}

/** Sets one value, creating tables on the way; leaves wrong values in its path for the schema to report. */
function put(values: Table, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    values[name] = value
    return
  }
  values[name] ??= {}
  const below = values[name]
  if (typeof below === 'object') put(below as Table, rest, value)
}

function leavesOf(value: unknown, path: readonly string[] = []): [readonly string[], unknown][] {
  if (value === undefined) return []
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [[path, value]]
  return Object.entries(value).flatMap(([name, below]) => leavesOf(below, [...path, name]))
}

function sourceOf(
  path: readonly PropertyKey[],
  from: { overrides: object; settings: readonly Setting[]; yaml: YamlFile | undefined },
): string {
  const key = path.map(String).join('.')
  const covers = (other: string) => key === other || key.startsWith(`${other}.`)
  if (leavesOf(from.overrides).some(([keys]) => covers(keys.join('.')))) return 'command line'
  const setting = from.settings.find(({ key: other }) => covers(other.path))
  return setting?.source ?? from.yaml?.source(path) ?? 'settings'
}

function frozen<T>(value: T): T {
  if (value !== null && typeof value === 'object') {
    for (const below of Object.values(value)) frozen(below)
    Object.freeze(value)
  }
  return value
}
