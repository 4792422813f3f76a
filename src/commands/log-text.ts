/** What a terminal would not show but do: controls, marks of direction and of order, line and paragraph ends. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}
const WIDEST = 5
/** Of every line; of no interest to whoever sits at the machine. */
const ALWAYS = new Set(['level', 'time', 'pid', 'hostname', 'msg'])
/** Yellow and red, by the codes that every terminal with colours knows. */
const COLOURS: Readonly<Record<number, string>> = { 40: '\u001b[33m', 50: '\u001b[31m', 60: '\u001b[31m' }
const PLAIN = '\u001b[0m'

/**
 * A line of the log for people: `10:45:33.120 WARN  request refused  route=/twilio/voice`. Only lines of events begin with a time:
 * where something failed follows below, further in. No character of what was said does anything to a terminal. A line that is
 * no JSON stays as it is, escaped.
 */
export function textLine(json: string, { colours = false } = {}): string {
  const event = parsed(json)
  if (!event) return `${escaped(json.trimEnd())}\n`
  const { level, time, msg } = event
  const name = (LEVELS[Number(level)] ?? String(level)).padEnd(WIDEST)
  const shown = colours
    ? `${COLOURS[Number(level)] ?? ''}${name}${COLOURS[Number(level)] ? PLAIN : ''}`
    : name
  const fields = Object.entries(event).filter(([field]) => !ALWAYS.has(field))
  const words = fields.map(([field, value]) => `${escaped(field)}=${valueText(value)}`)
  const text = escaped(String(msg ?? ''))
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

/** The time of day here, which is what whoever reads along compares with. */
function clock(time: unknown): string {
  const at = new Date(Number(time))
  if (Number.isNaN(at.getTime())) return '--:--:--.---'
  const two = (number: number) => String(number).padStart(2, '0')
  const ms = String(at.getMilliseconds()).padStart(3, '0')
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${ms}`
}

/** A word as it is; all else as JSON. Of a failure its message, since where it happened follows. */
function valueText(value: unknown): string {
  if (isFailure(value)) return escaped(JSON.stringify(value.message))
  if (typeof value === 'string' && /^[^\s"=]+$/u.test(value)) return escaped(value)
  return escaped(JSON.stringify(value) ?? 'undefined')
}

/** Where a failure happened, a line each. */
function frames(value: unknown): string[] {
  if (!isFailure(value)) return []
  return value.stack
    .split('\n')
    .filter(line => /^ {4}at /.test(line))
    .map(line => `${escaped(line)}\n`)
}

function isFailure(value: unknown): value is { message: string; stack: string } {
  if (typeof value !== 'object' || value === null) return false
  const { message, stack } = value as { message?: unknown; stack?: unknown }
  return typeof message === 'string' && typeof stack === 'string'
}

/** As JSON would write them, in UTF-16 units. */
function escaped(text: string): string {
  return text.replace(INVISIBLE, character =>
    character
      .split('')
      .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
