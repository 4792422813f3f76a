import type { OnTheLine, PhoneLine } from './line.ts'
import type { Mouth } from './mouth.ts'
import { PACKET_MS } from './voice.ts'

/** A participant continues to talk while no stream carries the voice: speech between two streams is lost, not delayed. */
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

  /** Called when a stream has ended. */
  resume(): void {
    if (this.#closed) return
    this.#line.join(this)
    this.#since = this.#line.align()
    this.#packets = 0
  }

  /** Called when a stream has started. */
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
