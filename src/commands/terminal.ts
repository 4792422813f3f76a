import type { WriteStream } from 'node:tty'

const METER_WIDTH = 24
/** The quietest level that shows (dB). */
const METER_FLOOR_DB = -60

/** A level of 0 to 1 as a bar: `▮▮▮▮▮▯▯▯`, by decibels, since that is how loudness is heard. */
export function meter(level: number, width = METER_WIDTH): string {
  const db = level > 0 ? Math.max(METER_FLOOR_DB, 20 * Math.log10(Math.min(1, level))) : METER_FLOOR_DB
  const filled = Math.round(((db - METER_FLOOR_DB) / -METER_FLOOR_DB) * width)
  return '▮'.repeat(filled) + '▯'.repeat(width - filled)
}

/** What others say must not move the cursor or colour the screen: control characters become blanks. */
function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

/** Where a command writes: whole lines, and on a terminal one line at the bottom that changes. */
export class Terminal {
  readonly #out: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>
  #status = ''

  constructor(out: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>) {
    this.#out = out
  }

  /** Somebody is there to read it, as far as can be told. */
  get interactive(): boolean {
    return this.#out.isTTY === true
  }

  /** Writes a line that stays, above the changing one. */
  line(text = ''): void {
    this.#clear()
    this.#out.write(`${plain(text)}\n`)
    this.#draw()
  }

  /** Replaces the changing line; nothing where output is not a terminal. */
  status(text: string): void {
    if (!this.#out.isTTY) return
    this.#clear()
    this.#status = plain(text).slice(0, Math.max(0, (this.#out.columns ?? 80) - 1))
    this.#draw()
  }

  #clear(): void {
    if (this.#status && this.#out.isTTY) this.#out.write('\r\u001b[2K')
  }

  #draw(): void {
    if (this.#status && this.#out.isTTY) this.#out.write(this.#status)
  }
}
