import type { WriteStream } from 'node:tty'

const METER_WIDTH = 24
/** The quietest level that shows (dB). */
const METER_FLOOR_DB = -60

/** A level of 0 to 1 as a bar: `▮▮▮▮▮▯▯▯`, by decibels, since that is how volume is perceived. */
export function meter(level: number, width = METER_WIDTH): string {
  const db = level > 0 ? Math.max(METER_FLOOR_DB, 20 * Math.log10(Math.min(1, level))) : METER_FLOOR_DB
  const filled = Math.round(((db - METER_FLOOR_DB) / -METER_FLOOR_DB) * width)
  return '▮'.repeat(filled) + '▯'.repeat(width - filled)
}

const COLOURS = { green: 32, yellow: 33, red: 31, cyan: 36, dim: 2 } as const

/** A piece of a line in a colour, where the terminal has colours. */
export interface Coloured {
  readonly text: string
  readonly colour: keyof typeof COLOURS
}

/** A line, or a piece of one. */
export type Text = string | Coloured

/** Text from elsewhere must not move the cursor or colour the screen: control characters become blanks. */
function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

/** Where a command writes: whole lines, and on a terminal one line at the bottom that changes. */
export class Terminal {
  readonly #out: Pick<WriteStream, 'write' | 'isTTY' | 'columns'> & Partial<Pick<WriteStream, 'hasColors'>>
  #status = ''

  constructor(
    out: Pick<WriteStream, 'write' | 'isTTY' | 'columns'> & Partial<Pick<WriteStream, 'hasColors'>>,
  ) {
    this.#out = out
  }

  /** Whether a person reads along, as far as a program can know. */
  get interactive(): boolean {
    return this.#out.isTTY === true
  }

  /** Writes a line that stays, above the changing one. */
  line(...pieces: readonly Text[]): void {
    this.#clear()
    this.#out.write(`${pieces.map(piece => this.#shown(piece)).join('')}\n`)
    this.#draw()
  }

  /** Replaces the changing line; does nothing where the output is not a terminal. */
  status(...pieces: readonly Text[]): void {
    if (!this.#out.isTTY) return
    this.#clear()
    let room = Math.max(0, (this.#out.columns ?? 80) - 1)
    this.#status = ''
    for (const piece of pieces) {
      const text = plain(typeof piece === 'string' ? piece : piece.text).slice(0, room)
      room -= text.length
      this.#status += this.#shown(typeof piece === 'string' ? text : { ...piece, text })
    }
    this.#draw()
  }

  /** Has `write` write whole lines to the same screen by another stream, above the changing line. */
  above(write: () => void): void {
    this.#clear()
    write()
    this.#draw()
  }

  #shown(piece: Text): string {
    if (typeof piece === 'string') return plain(piece)
    const text = plain(piece.text)
    const colours = this.#out.isTTY && this.#out.hasColors?.()
    return colours && text !== '' ? `\u001b[${COLOURS[piece.colour]}m${text}\u001b[0m` : text
  }

  #clear(): void {
    if (this.#status && this.#out.isTTY) this.#out.write('\r\u001b[2K')
  }

  #draw(): void {
    if (this.#status && this.#out.isTTY) this.#out.write(this.#status)
  }
}
