import pino from 'pino'
import { textLine } from './log-text.ts'
import type { Terminal } from './terminal.ts'

/** Names of settings whose values are secrets, wherever they stand. */
const SECRET = /^(apiKeys?|authTokens?|apiKeySecret|keys?|secret|token)$/
/** Tables of which every value may be one. */
const HEADERS = /^headers$/
/** Shorter texts are in too many lines by chance. */
const LEAST_SECRET = 8
/** What a terminal would not show but do: controls, marks of direction and of order, line and paragraph ends. */
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Characters of lines that wait to be written. */
const MOST_UNWRITTEN = 1_048_576
const NUMBER = /\+[1-9]\d{4,12}(\d\d)(?!\d)/g

/** How lines are written. `auto`: as text where somebody looks at a terminal, as JSON everywhere else. */
export type LogFormat = 'auto' | 'json' | 'text'

interface LogSettings {
  readonly log: { readonly level: string; readonly format: LogFormat }
}

/** Where lines go, and whether that is a terminal. */
export interface LogOutput {
  readonly destination: pino.DestinationStream
  readonly isTTY: boolean
  readonly colours?: boolean
}

/**
 * The program's log: one line of JSON an event, or of text for people. No line holds a secret of the settings, wherever it came from,
 * nor a telephone number beyond its last two digits, nor a character that a terminal would obey.
 */
export function openLog(config: LogSettings, output: LogOutput = standardError()): pino.Logger {
  const { destination, isTTY, colours = false } = output
  const { level, format } = config.log
  const secrets = secretsIn(config)
  const inJson = secrets.map(secret => JSON.stringify(secret).slice(1, -1))
  const json = (line: string) => cleaned(line, inJson)
  // What was in two fields stands beside each other then: it is looked through once more.
  const text = (line: string) => withoutPrivate(textLine(json(line), { colours }), [...inJson, ...secrets])
  const streamWrite = format === 'text' || (format === 'auto' && isTTY) ? text : json
  return pino({ level, hooks: { streamWrite } }, destination)
}

/** The terminal's second stream. Who does not read it does not keep calls waiting: beyond some lines what comes is dropped. */
function standardError(): LogOutput {
  const { stderr } = process
  const destination = pino.destination({ dest: 2, sync: false, maxLength: MOST_UNWRITTEN })
  return { destination, isTTY: stderr.isTTY, colours: stderr.isTTY && stderr.hasColors() }
}

/** Standard error, below which `terminal` has a changing line: log lines go above it. */
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

/** As JSON writes it, in its UTF-16 units. */
function escaped(character: string): string {
  return character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}

/** The values of all secrets in `settings`, the longest first, so that none leaves a part of another. */
function secretsIn(settings: unknown): string[] {
  const found = new Set<string>()
  const take = (text: string) => void (text.length >= LEAST_SECRET && found.add(text))
  const look = (value: unknown, name: string, secret: boolean): void => {
    if (typeof value === 'string' && (secret || SECRET.test(name))) take(value)
    // A header like `Bearer …` has its secret behind the scheme.
    if (typeof value === 'string' && secret) take(value.slice(value.lastIndexOf(' ') + 1))
    if (typeof value !== 'object' || value === null) return
    for (const [key, below] of Object.entries(value))
      look(below, Array.isArray(value) ? name : key, secret || HEADERS.test(key))
  }
  look(settings, '', false)
  return [...found].sort((a, b) => b.length - a.length)
}
