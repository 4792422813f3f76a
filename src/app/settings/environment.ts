import { parseJson } from '../../common/json.ts'
import { closestMatch } from '../../common/suggest.ts'
import { KEYS, type Key } from './keys.ts'
import type { Problem } from './problems.ts'

const PREFIX = 'DRAGOMAN_'
const FILE = '_FILE'

/** Names the settings file. */
export const CONFIG_VARIABLE = 'DRAGOMAN_CONFIG'
/** Address from which `dragoman models add` downloads instead. */
export const MODELS_VARIABLE = 'DRAGOMAN_MODELS_URL'
/** Variables that are not settings. */
const OTHER: readonly string[] = [CONFIG_VARIABLE, MODELS_VARIABLE]

/** One setting from the environment. */
export interface Setting {
  readonly key: Key
  readonly value: unknown
  /** Name of the variable. */
  readonly source: string
}

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns every `DRAGOMAN_…` variable as a setting, without empty ones and those of Kubernetes Services. `readFile` reads the file named by a
 * secret’s `…_FILE`. Invalid values are added to `problems`.
 */
export function readEnvironment(
  env: Environment,
  readFile: (path: string) => string,
  problems: Problem[],
): Setting[] {
  const settings: Setting[] = []
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || OTHER.includes(variable) || !text) continue
    if (isServiceLink(variable, text)) continue
    const fromFile = keyOfFile(variable)
    const key = fromFile ?? KEYS.find(known => known.variable === variable)
    if (!key) {
      problems.push(unknown(variable))
    } else if (!fromFile) {
      take(key, variable, text)
    } else if (env[key.variable]) {
      const allowed = `either this or ${key.variable}, not both`
      problems.push({ key: key.path, source: variable, allowed })
    } else {
      const secret = contents(text, variable, key)
      if (secret !== undefined) take(key, variable, secret)
    }
  }
  return settings

  function take(key: Key, source: string, text: string): void {
    const value = parseValue(key, text)
    if (value !== undefined) settings.push({ key, value, source })
    else problems.push({ key: key.path, source, found: 'invalid JSON', allowed: 'JSON: { … } or [ … ]' })
  }

  function contents(path: string, source: string, key: Key): string | undefined {
    const wrong = (found: string) =>
      void problems.push({ key: key.path, source, found, allowed: 'the path of a file with the value' })
    try {
      return readFile(path).trim() || wrong(`the empty file ${path}`)
    } catch (error) {
      return wrong(`${path}, which cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`)
    }
  }
}

/**
 * Kubernetes sets variables for every Service of a namespace, and Docker for links: a Service named `dragoman` gives
 * `DRAGOMAN_PORT=tcp://10.0.0.1:8080`, `DRAGOMAN_SERVICE_HOST` and `DRAGOMAN_PORT_8080_TCP_ADDR`, one named
 * `dragoman-talk` gives `DRAGOMAN_TALK_PORT`. Sources: Kubernetes, "Accessing the Service"; Docker, "Legacy container
 * links".
 */
const LINK_NAME = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/

function isServiceLink(variable: string, text: string): boolean {
  if (variable.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(text)) return true
  return LINK_NAME.test(variable) && !KEYS.some(key => key.variable === variable)
}

/**
 * Parses `text` as the kind of value that `key` expects; the schema validates it later. Returns undefined for invalid
 * JSON.
 */
function parseValue({ shape }: Key, text: string): unknown {
  switch (shape.type) {
    case 'integer':
    case 'number':
      return /^[-+]?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text
    case 'boolean':
      return { true: true, '1': true, false: false, '0': false }[text.trim().toLowerCase()] ?? text
    case 'array':
      return text.trimStart().startsWith('[') ? parseJson(text) : words(text)
    case 'object':
      return parseJson(text)
    default:
      // One, or a list of several.
      return shape.anyOf && text.trimStart().startsWith('[') ? parseJson(text) : text
  }
}

function words(text: string): string[] {
  return text
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== '')
}

function keyOfFile(variable: string): Key | undefined {
  if (!variable.endsWith(FILE)) return undefined
  return KEYS.find(key => key.secret && `${key.variable}${FILE}` === variable)
}

function unknown(variable: string): Problem {
  const known = KEYS.flatMap(key => (key.secret ? [key.variable, key.variable + FILE] : [key.variable]))
  const meant = closestMatch(
    variable.slice(PREFIX.length),
    known.map(name => name.slice(PREFIX.length)),
  )
  return {
    key: variable,
    source: variable,
    found: 'an unknown setting',
    allowed:
      'DRAGOMAN_ followed by the name of a setting, like DRAGOMAN_SERVICE_URL; see dragoman.example.yaml',
    ...(meant === undefined ? {} : { meant: PREFIX + meant }),
  }
}
