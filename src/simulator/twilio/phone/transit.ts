import { type Quirks, randomFrom } from './quirks.ts'

/** Tolerance for being on time: real timers fire up to a millisecond early. */
const EARLY_MS = 1

/**
 * The path from the phone to the server: messages keep their order, as on TCP, but can be delayed, one by one (jitter)
 * or all together (a stall, then a burst).
 */
export class Transit<M> {
  readonly #send: (message: M) => void
  readonly #jitterMs: number
  readonly #stall: Quirks['stall']
  readonly #random: () => number
  readonly #packetMs: number
  readonly #startedAt: number
  readonly #held: { at: number; message: M }[] = []
  #latest = Number.NEGATIVE_INFINITY

  constructor(quirks: Quirks, startedAt: number, send: (message: M) => void) {
    this.#send = send
    this.#jitterMs = quirks.jitterMs ?? 0
    this.#stall = quirks.stall
    this.#random = randomFrom(quirks.seed ?? 1)
    this.#packetMs = quirks.packetMs ?? 20
    this.#startedAt = startedAt
  }

  /** Sends `message`, ready at `due`, now or after its delay. */
  add(due: number, now: number, message: M): void {
    const at = Math.max(this.#latest, due + this.#delay(due))
    this.#latest = at
    if (this.#held.length === 0 && at <= now + EARLY_MS) this.#send(message)
    else this.#held.push({ at, message })
  }

  /** Sends everything that is due by `now`. */
  tick(now: number): void {
    while (this.#held.length > 0 && (this.#held[0]?.at ?? 0) <= now + EARLY_MS) {
      const next = this.#held.shift()
      if (next) this.#send(next.message)
    }
  }

  /** Sends everything at once, before the last message. */
  flush(): void {
    for (const { message } of this.#held.splice(0)) this.#send(message)
  }

  #delay(due: number): number {
    const jitter = this.#jitterMs === 0 ? 0 : this.#random() * 2 * this.#jitterMs
    if (!this.#stall) return jitter
    const { everyMs, packets } = this.#stall
    const into = (due - this.#startedAt) % everyMs
    const stallMs = (packets - 1) * this.#packetMs
    const begins = everyMs - stallMs
    return Math.max(jitter, into >= begins ? everyMs - into : 0)
  }
}
