import type { OnTheLine, PhoneLine } from './line.ts'
import type { Mouth } from './mouth.ts'
import { PACKET_MS } from './voice.ts'

/** A party goes on talking while no stream carries the voice: what is said between two streams is lost, not late. */
export class OffHook implements OnTheLine {
  readonly #line: PhoneLine
  readonly #mouth: Mouth
  #since = 0
  #packets = 0
  #closed = false

  constructor(line: PhoneLine, mouth: Mouth) {
    this.#line = line
    this.#mouth = mouth
  }

  /** A stream has ended. */
  resume(): void {
    if (this.#closed) return
    this.#line.join(this)
    this.#since = this.#line.align()
    this.#packets = 0
  }

  /** A stream has begun. */
  pause(): void {
    this.#line.leave(this)
  }

  close(): void {
    this.#closed = true
    this.pause()
  }

  tick(now: number): void {
    for (let due = this.#due(); due <= now; due = this.#due()) {
      this.#mouth.packet(due)
      this.#packets++
    }
  }

  #due(): number {
    return this.#since + (this.#packets + 1) * PACKET_MS
  }
}
