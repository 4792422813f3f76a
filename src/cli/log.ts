import pino from 'pino'
import { isSecret } from '../app/settings/keys.ts'
import { SECRETS } from '../app/settings/schema.ts'
import { parseJson } from '../common/json.ts'
import type { Terminal } from './terminal.ts'

/**
 * Characters that a terminal would interpret instead of displaying: controls, direction and ordering marks, line and
 * paragraph separators.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}
const WIDEST = 5
/** Fields of every line, of no interest on a terminal. */
const ALWAYS = new Set(['level', 'time', 'pid', 'hostname', 'msg'])
/** Yellow and red, in codes that all color terminals support. */
const COLORS: Readonly<Record<number, string>> = { 40: '\u001b[33m', 50: '\u001b[31m', 60: '\u001b[31m' }
const PLAIN = '\u001b[0m'

/**
 * Formats a log line for people: `10:45:33.120 WARN  request refused  route=/twilio/voice`. Only event lines start with
 * a time; stack frames follow indented. No character of the data can control the terminal. A line that is not JSON is
 * only escaped.
 */
export function textLine(json: string, { colors = false } = {}): string {
  const event = parsed(json)
  if (!event) return `${escapedText(json.trimEnd())}\n`
  const { level, time, msg } = event
  const name = (LEVELS[Number(level)] ?? String(level)).padEnd(WIDEST)
  const shown = colors ? `${COLORS[Number(level)] ?? ''}${name}${COLORS[Number(level)] ? PLAIN : ''}` : name
  const fields = Object.entries(event).filter(([field]) => !ALWAYS.has(field))
  const words = fields.map(([field, value]) => `${escapedText(field)}=${valueText(value)}`)
  const text = escapedText(String(msg ?? ''))
  const line = `${clock(time)} ${shown} ${text}${words.length > 0 ? `  ${words.join(' ')}` : ''}\n`
  return line + fields.flatMap(([, value]) => frames(value)).join('')
}

function parsed(json: string): Record<string, unknown> | undefined {
  const value = parseJson(json)
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}

/** Returns the local time of day. */
function clock(time: unknown): string {
  const at = new Date(Number(time))
  if (Number.isNaN(at.getTime())) return '--:--:--.---'
  const two = (number: number) => String(number).padStart(2, '0')
  const ms = String(at.getMilliseconds()).padStart(3, '0')
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${ms}`
}

/** Returns words unchanged and anything else as JSON. For an error, the message; its stack follows. */
function valueText(value: unknown): string {
  if (isFailure(value)) return escapedText(JSON.stringify(value.message))
  if (typeof value === 'string' && /^[^\s"=]+$/u.test(value)) return escapedText(value)
  return escapedText(JSON.stringify(value) ?? 'undefined')
}

/** Returns the stack frames of an error, one per line. */
function frames(value: unknown): string[] {
  if (!isFailure(value)) return []
  return value.stack
    .split('\n')
    .filter(line => /^ {4}at /.test(line))
    .map(line => `${escapedText(line)}\n`)
}

function isFailure(value: unknown): value is { message: string; stack: string } {
  if (typeof value !== 'object' || value === null) return false
  const { message, stack } = value as { message?: unknown; stack?: unknown }
  return typeof message === 'string' && typeof stack === 'string'
}

function escapedText(text: string): string {
  return text.replace(UNPRINTABLE, escaped)
}

/** Names of secret values within the lists and tables of `SECRETS`. */
const SECRET =
  /^(apiKeys?|apiKeySecret|apiToken|authToken|keys?|password|secret|signingKey|token|webhookSecret)$/
/** Tables in which every value can be secret. */
const HEADERS = /^headers$/
/** Shorter texts would match too many lines by chance. */
const LEAST_SECRET = 8
/** Those of `UNPRINTABLE` that a line of JSON can contain: its lone surrogates are escaped already. */
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
  readonly colors?: boolean
}

/**
 * Creates the program’s logger: one line of JSON per event, or text for people. No line contains a secret from any
 * source of settings, more than the last two digits of a phone number, or a character that controls a terminal.
 */
export function openLog(config: LogSettings, output: LogOutput = standardError()): pino.Logger {
  const { destination, isTTY, colors = false } = output
  const { level, format } = config.log
  const secrets = secretsIn(config)
  const inJson = secrets.map(secret => JSON.stringify(secret).slice(1, -1))
  const json = (line: string) => cleaned(line, inJson)
  // Two fields can be adjacent in a text line, so it is searched again.
  const text = (line: string) => withoutPrivate(textLine(json(line), { colors }), [...inJson, ...secrets])
  const streamWrite = format === 'text' || (format === 'auto' && isTTY) ? text : json
  return pino({ level, hooks: { streamWrite } }, destination)
}

/** Standard error. A blocked reader does not delay calls: lines above a limit are dropped. */
function standardError(): LogOutput {
  const { stderr } = process
  const destination = pino.destination({ dest: 2, sync: false, maxLength: MOST_UNWRITTEN })
  return { destination, isTTY: stderr.isTTY, colors: stderr.isTTY && stderr.hasColors() }
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
  const look = (value: unknown, path: string, header: boolean): void => {
    if (typeof value === 'string') {
      const name = path.slice(path.lastIndexOf('.') + 1)
      if (!SECRETS.includes(path) && !header && !(isSecret(path) && SECRET.test(name))) return
      take(value)
      // In a header like `Bearer …`, the secret follows the scheme.
      if (header) take(value.slice(value.lastIndexOf(' ') + 1))
    } else if (Array.isArray(value)) for (const each of value) look(each, path, header)
    else if (typeof value === 'object' && value !== null)
      for (const [key, below] of Object.entries(value))
        look(
          below,
          path === '' ? key : `${path}.${key}`,
          header || (isSecret(`${path}.${key}`) && HEADERS.test(key)),
        )
  }
  look(settings, '', false)
  return [...found].sort((a, b) => b.length - a.length)
}
