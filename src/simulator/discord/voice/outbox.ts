import { u16 } from './dave/mls-bytes.ts'

interface Numbered {
  readonly seq: number
  readonly message: string | Buffer
}

/** Binary messages carry the number in 16 bits. */
const NUMBERS = 0xffff
/** Maximum without an acknowledgment; beyond it the oldest is forgotten. */
const MOST = 1_000

/**
 * Numbers a session's messages and keeps them until the client has acknowledged them, so that a resumed session misses
 * nothing. Numbers start at 1: clients interpret 0 as none.
 */
export class Outbox {
  readonly #kept: Numbered[] = []
  #seq = 0

  text(op: number, body: unknown): string {
    const seq = this.#next()
    return this.#keep(seq, JSON.stringify({ op, d: body, seq }))
  }

  binary(op: number, payload: Uint8Array): Buffer {
    const seq = this.#next()
    return this.#keep(seq, Buffer.concat([u16(seq), Buffer.of(op), payload]))
  }

  /** Skips `count` numbers, as if messages had been lost in transit. */
  skip(count: number): void {
    for (let each = 0; each < count; each++) this.#next()
  }

  /** Everything up to `seq` has arrived. */
  acknowledge(seq: number): void {
    const at = this.#kept.findIndex(kept => kept.seq === seq)
    if (at >= 0) this.#kept.splice(0, at + 1)
  }

  /** Unacknowledged messages, oldest first. */
  unacknowledged(): (string | Buffer)[] {
    return this.#kept.map(({ message }) => message)
  }

  #next(): number {
    this.#seq = (this.#seq % NUMBERS) + 1
    return this.#seq
  }

  #keep<M extends string | Buffer>(seq: number, message: M): M {
    if (this.#kept.length === MOST) this.#kept.shift()
    this.#kept.push({ seq, message })
    return message
  }
}
