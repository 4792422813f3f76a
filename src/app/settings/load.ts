import { existsSync, readFileSync } from 'node:fs'
import {
  type Document,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import { asList, type DeepReadonly } from '../../common/setting-fields.ts'
import { configSchema, listeningHost, START_SCHEMAS, type Started } from './cross-checks.ts'
import {
  CONFIG_VARIABLE,
  type Environment,
  MODELS_VARIABLE,
  readEnvironment,
  type Setting,
} from './environment.ts'
import { ConfigError, type Problem, problemsOf } from './problems.ts'
import { withProviderKeys } from './provider-keys.ts'
import type { CheckedConfig, ConfigInput } from './schema.ts'

export { ConfigError, type Problem } from './problems.ts'
export type { ConfigInput } from './schema.ts'

/** Name of the settings file in the working directory. */
const DEFAULT_FILE = 'dragoman.yaml'

/** The effective settings: checked, complete and frozen. */
export type Config = DeepReadonly<
  Omit<CheckedConfig, 'host' | 'twilio'> & {
    /** Listening address: this machine only, unless a public address asks for outside access. */
    host: string
    twilio: Omit<CheckedConfig['twilio'], 'authToken'> & {
      /** None, one, or several during rotation. */
      authToken: string[]
    }
    /** The settings file, if one was read. */
    file: string | undefined
  }
>

/** Returns the address of the mirror for models, if one is set. */
export function modelsMirror(env: Environment = process.env): string | undefined {
  return env[MODELS_VARIABLE]?.trim() || undefined
}

export type DeepPartial<T> = T extends readonly unknown[]
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
  if (!checked.success || problems.length > 0) throw new ConfigError(problems)
  const { embedded } = checked.data
  const engines = withProviderKeys(embedded.engines, env)
  return frozen(complete({ ...checked.data, embedded: { ...embedded, engines } }, path))
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
  const { twilio } = checked
  return {
    ...checked,
    host: listeningHost(checked),
    twilio: { ...twilio, authToken: [...asList(twilio.authToken)] },
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

/** Contents of a settings file, with line numbers. */
interface YamlFile {
  readonly values: Readonly<Record<string, unknown>>
  /** Returns `dragoman.yaml:12` for the key at `path`, or for its nearest ancestor in the file. */
  source(path: readonly PropertyKey[]): string
}

/** Reads YAML and adds errors to `problems`. Messages never quote the file, because it may contain secrets. */
export function readYaml(text: string, name: string, problems: Problem[]): YamlFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const at = (offset: number) => `${name}:${lines.linePos(offset).line}`
  for (const error of document.errors)
    problems.push({
      key: 'YAML',
      source: at(error.pos[0]),
      found: error.code.toLowerCase().replaceAll('_', ' '),
      allowed:
        error.code === 'DUPLICATE_KEY' ? 'each key once' : 'valid YAML: check indentation and quotes here',
    })
  const source = (path: readonly PropertyKey[]) => at(offsetOf(document.contents, path))
  const empty = { values: {}, source }
  if (document.errors.length > 0) return empty
  const wrong = (offset: number, found: string, allowed: string) =>
    void problems.push({ key: 'YAML', source: at(offset), found, allowed })
  if (hasOddReferences(document, wrong)) return empty
  const contents = document.contents
  if (contents === null || (isScalar(contents) && contents.value === null)) return empty
  if (!isMap(contents)) {
    problems.push({
      key: 'YAML',
      source: at(0),
      found: 'not a table',
      allowed: 'lines of the form key: value',
    })
    return empty
  }
  try {
    return { values: document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>, source }
  } catch {
    wrong(0, 'too many nested aliases', 'each setting written out')
    return empty
  }
}

/** Reports unresolved or recursive aliases and keys that are tables: valid YAML, but not valid settings. */
function hasOddReferences(
  document: Document,
  wrong: (offset: number, found: string, allowed: string) => void,
): boolean {
  let odd = false
  const tell = (offset: number | undefined, found: string, allowed: string) => {
    odd = true
    wrong(offset ?? 0, found, allowed)
  }
  visit(document, {
    Alias(_key, alias, path) {
      const target = alias.resolve(document)
      if (!target)
        tell(alias.range?.[0], 'an unresolved alias', 'an alias (*) of an anchor (&) defined before it')
      else if (path.includes(target))
        tell(alias.range?.[0], 'a table that contains itself', 'each setting once')
    },
    Pair(_key, pair) {
      // The library warns about the others and would quote the file.
      if (isScalar(pair.key) && (pair.key.value === null || typeof pair.key.value !== 'object')) return
      tell(undefined, 'a key that is not a word', 'lines of the form key: value')
    },
  })
  return odd
}

function offsetOf(contents: unknown, path: readonly PropertyKey[]): number {
  let node = contents
  let offset = 0
  for (const part of path) {
    const pair = isMap(node) ? pairOf(node, part) : undefined
    if (!pair) break
    if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset
    node = pair.value
  }
  return offset
}

function pairOf(map: YAMLMap, part: PropertyKey): Pair | undefined {
  return map.items.find(item => isPair(item) && isScalar(item.key) && String(item.key.value) === String(part))
}
