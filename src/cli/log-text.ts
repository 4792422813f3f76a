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
const COLOURS: Readonly<Record<number, string>> = { 40: '\u001b[33m', 50: '\u001b[31m', 60: '\u001b[31m' }
const PLAIN = '\u001b[0m'

/**
 * Formats a log line for people: `10:45:33.120 WARN  request refused  route=/twilio/voice`. Only event lines start with
 * a time; stack frames follow indented. No character of the data can control the terminal. A line that is not JSON is
 * only escaped.
 */
export function textLine(json: string, { colours = false } = {}): string {
  const event = parsed(json)
  if (!event) return `${escapedText(json.trimEnd())}\n`
  const { level, time, msg } = event
  const name = (LEVELS[Number(level)] ?? String(level)).padEnd(WIDEST)
  const shown = colours
    ? `${COLOURS[Number(level)] ?? ''}${name}${COLOURS[Number(level)] ? PLAIN : ''}`
    : name
  const fields = Object.entries(event).filter(([field]) => !ALWAYS.has(field))
  const words = fields.map(([field, value]) => `${escapedText(field)}=${valueText(value)}`)
  const text = escapedText(String(msg ?? ''))
  const line = `${clock(time)} ${shown} ${text}${words.length > 0 ? `  ${words.join(' ')}` : ''}\n`
  return line + fields.flatMap(([, value]) => frames(value)).join('')
}

function parsed(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
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

/** Escapes as in JSON, in UTF-16 units. */
function escapedText(text: string): string {
  return text.replace(UNPRINTABLE, character =>
    character
      .split('')
      .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
