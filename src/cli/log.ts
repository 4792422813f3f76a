import pino from 'pino'
import { textLine } from './log-text.ts'
import type { Terminal } from './terminal.ts'

/** Names of settings with secret values, at any level. */
const SECRET = /^(apiKeys?|authTokens?|apiKeySecret|keys?|secret|token)$/
/** Tables in which every value can be secret. */
const HEADERS = /^headers$/
/** Shorter texts would match too many lines by chance. */
const LEAST_SECRET = 8
/**
 * Characters that a terminal would interpret instead of displaying: controls, direction and ordering marks, line and
 * paragraph separators.
 */
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Maximum number of characters waiting to be written. */
const MOST_UNWRITTEN = 1_048_576
const NUMBER = /\+[1-9]\d{4,12}(\d\d)(?!\d)/g

/** Line format. `auto` selects text on a terminal, JSON otherwise. */
export type LogFormat = 'auto' | 'json' | 'text'

interface LogSettings {
  readonly log: { readonly level: string; readonly format: LogFormat }
}

/** Destination of the lines, and whether it is a terminal. */
export interface LogOutput {
  readonly destination: pino.DestinationStream
  readonly isTTY: boolean
  readonly colours?: boolean
}

/**
 * Creates the program’s logger: one line of JSON per event, or text for people. No line contains a secret from any
 * source of settings, more than the last two digits of a phone number, or a character that controls a terminal.
 */
export function openLog(config: LogSettings, output: LogOutput = standardError()): pino.Logger {
  const { destination, isTTY, colours = false } = output
  const { level, format } = config.log
  const secrets = secretsIn(config)
  const inJson = secrets.map(secret => JSON.stringify(secret).slice(1, -1))
  const json = (line: string) => cleaned(line, inJson)
  // Two fields can be adjacent in a text line, so it is searched again.
  const text = (line: string) => withoutPrivate(textLine(json(line), { colours }), [...inJson, ...secrets])
  const streamWrite = format === 'text' || (format === 'auto' && isTTY) ? text : json
  return pino({ level, hooks: { streamWrite } }, destination)
}

/** Standard error. A blocked reader does not delay calls: lines above a limit are dropped. */
function standardError(): LogOutput {
  const { stderr } = process
  const destination = pino.destination({ dest: 2, sync: false, maxLength: MOST_UNWRITTEN })
  return { destination, isTTY: stderr.isTTY, colours: stderr.isTTY && stderr.hasColors() }
}

/** Standard error, with log lines above the changing line of `terminal`. */
export function errorAbove(terminal: Terminal): LogOutput {
  const output = standardError()
  const write = (line: string) => terminal.above(() => process.stderr.write(line))
  return output.isTTY ? { ...output, destination: { write } } : output
}

function cleaned(line: string, secrets: readonly string[]): string {
  return withoutPrivate(line, secrets).replace(INVISIBLE, escaped)
}

function withoutPrivate(line: string, secrets: readonly string[]): string {
  let clean = line
  for (const secret of secrets) clean = clean.replaceAll(secret, '[secret]')
  return clean.replace(NUMBER, '+…$1')
}

/** Escapes as in JSON, in UTF-16 units. */
function escaped(character: string): string {
  return character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}

/** Returns the values of all secrets in `settings`, longest first, so that replacing one leaves no part of another. */
function secretsIn(settings: unknown): string[] {
  const found = new Set<string>()
  const take = (text: string) => void (text.length >= LEAST_SECRET && found.add(text))
  const look = (value: unknown, name: string, secret: boolean): void => {
    if (typeof value === 'string' && (secret || SECRET.test(name))) take(value)
    // In a header like `Bearer …`, the secret follows the scheme.
    if (typeof value === 'string' && secret) take(value.slice(value.lastIndexOf(' ') + 1))
    if (typeof value !== 'object' || value === null) return
    for (const [key, below] of Object.entries(value))
      look(below, Array.isArray(value) ? name : key, secret || HEADERS.test(key))
  }
  look(settings, '', false)
  return [...found].sort((a, b) => b.length - a.length)
}
