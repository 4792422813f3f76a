import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { WriteStream } from 'node:tty'
import { CommandError } from './errors.ts'

/** Width of the name column, so that a link with a key fits into 80 columns. */
const NAME_WIDTH = 9
/** Languages that fit into a column. */
const COLUMN_LANGUAGES = 4

/**
 * How the user starts the program at `path`: a clone runs its sources, and a local installation, also that of `npx`, has
 * its programs in `node_modules/.bin`.
 */
export function startedAs(path = process.argv[1] ?? ''): string {
  if (/[\\/]src[\\/]main\.ts$/.test(path)) return 'npm run dragoman --'
  return /[\\/]node_modules[\\/]\.bin[\\/]dragoman$/.test(path) ? 'npx dragoman' : 'dragoman'
}

/** Formats rows as lines with aligned columns. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]!.length))) ?? []
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

/** Lists the first languages that fit into a column, and how many more there are. */
export function columnOf(languages: readonly string[]): string {
  const more = languages.length - COLUMN_LANGUAGES
  return languages.slice(0, COLUMN_LANGUAGES).join(' ') + (more > 0 ? ` +${more}` : '')
}

/** Lists at most `most` languages, and how many more there are. */
export function shortened(languages: readonly string[], most: number): string {
  const more = languages.length - most
  return languages.slice(0, most).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Formats a line of the list. */
export function labeledLine(name: string, value: string): string {
  return `  ${name.padEnd(NAME_WIDTH)}  ${value}`
}

/** Checks before the work starts that `path` is writable. Throws a `CommandError` otherwise. */
export async function assertWritable(path: string): Promise<void> {
  const fail = (why: string): never => {
    throw new CommandError(`--output is "${path}": ${why}; choose a writable file`)
  }
  const found = await stat(path).catch(codeOf)
  if (typeof found !== 'string') {
    if (found.isDirectory()) fail('it is a folder')
    if (!(await may(path))) fail('the file is not writable')
    return
  }
  if (found !== 'ENOENT') fail(`it is not accessible (${found})`)
  const folder = dirname(path)
  const above = await stat(folder).catch(codeOf)
  if (typeof above === 'string') fail(`the folder "${folder}" does not exist`)
  else if (!above.isDirectory()) fail(`"${folder}" is not a folder`)
  else if (!(await may(folder))) fail(`the folder "${folder}" is not writable`)
}

function may(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
}

function codeOf(error: NodeJS.ErrnoException): string {
  return error.code ?? 'error'
}

const METER_WIDTH = 24
/** Quietest visible level (dB). */
const METER_FLOOR_DB = -60

/** Renders a level of 0 to 1 as a bar, `▮▮▮▮▮▯▯▯`, on a decibel scale. */
export function meter(level: number, width = METER_WIDTH): string {
  const db = level > 0 ? Math.max(METER_FLOOR_DB, 20 * Math.log10(Math.min(1, level))) : METER_FLOOR_DB
  const filled = Math.round(((db - METER_FLOOR_DB) / -METER_FLOOR_DB) * width)
  return '▮'.repeat(filled) + '▯'.repeat(width - filled)
}

const COLORS = { green: 32, yellow: 33, red: 31, cyan: 36, dim: 2 } as const

/** Width if the terminal reports none, or 0, as in containers. */
const DEFAULT_COLUMNS = 80

/** A colored piece of a line, on terminals with colors. */
export interface Colored {
  readonly text: string
  readonly color: keyof typeof COLORS
}

/** A line, or a piece of one. */
export type TerminalText = string | Colored

/** External text must not move the cursor or color the screen: control characters become spaces. */
function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

/** Output of a command: whole lines, and on a terminal a changing line at the bottom. */
export class Terminal {
  readonly #out: Pick<WriteStream, 'write' | 'isTTY' | 'columns'> & Partial<Pick<WriteStream, 'hasColors'>>
  #status = ''

  constructor(
    out: Pick<WriteStream, 'write' | 'isTTY' | 'columns'> & Partial<Pick<WriteStream, 'hasColors'>>,
  ) {
    this.#out = out
  }

  /** True if a person is probably reading. */
  get interactive(): boolean {
    return this.#out.isTTY === true
  }

  /** Writes a permanent line above the changing one. */
  line(...pieces: readonly TerminalText[]): void {
    this.#clear()
    this.#out.write(`${pieces.map(piece => this.#shown(piece)).join('')}\n`)
    this.#draw()
  }

  /** Replaces the changing line; has no effect if the output is not a terminal. */
  status(...pieces: readonly TerminalText[]): void {
    if (!this.#out.isTTY) return
    this.#clear()
    let room = Math.max(0, (this.#out.columns || DEFAULT_COLUMNS) - 1)
    this.#status = ''
    for (const piece of pieces) {
      const text = plain(typeof piece === 'string' ? piece : piece.text).slice(0, room)
      room -= text.length
      this.#status += this.#shown(typeof piece === 'string' ? text : { ...piece, text })
    }
    this.#draw()
  }

  /** Lets `write` write whole lines to the same screen through another stream, above the changing line. */
  above(write: () => void): void {
    this.#clear()
    write()
    this.#draw()
  }

  #shown(piece: TerminalText): string {
    if (typeof piece === 'string') return plain(piece)
    const text = plain(piece.text)
    const colors = this.#out.isTTY && this.#out.hasColors?.()
    return colors && text !== '' ? `\u001b[${COLORS[piece.color]}m${text}\u001b[0m` : text
  }

  #clear(): void {
    if (this.#status && this.#out.isTTY) this.#out.write('\r\u001b[2K')
  }

  #draw(): void {
    if (this.#status && this.#out.isTTY) this.#out.write(this.#status)
  }
}
