/** Failures in a row that open it. */
const FAILURES = 5
/** … when they come within this time (ms). */
const WITHIN_MS = 20_000
/** Time between two probes while it is open (ms), a quarter more or less by chance. */
const PROBE_MS = 400
/** Opened again so soon after it was closed, it waits twice as long each time (ms). */
const STEADY_MS = 10_000
const LONGEST_PROBE_MS = 5_000

/**
 * A breaker between many sessions and one service. Closed: everybody may try. Open: nobody may but one probe at a time,
 * so that a service that is down, or comes up, meets one connection, not all of them. Pure: time comes with each call.
 */
export class Circuit {
  readonly #random: () => number
  /** When the newest failures in a row were (ms). */
  #failures: number[] = []
  #open = false
  #probing = false
  #probeAt = 0
  #probeMs = PROBE_MS
  #closedAt = Number.NEGATIVE_INFINITY

  /** `random` in [0, 1). */
  constructor(random: () => number) {
    this.#random = random
  }

  /** `half-open`: open, with a probe on its way. */
  get status(): 'closed' | 'open' | 'half-open' {
    if (!this.#open) return 'closed'
    return this.#probing ? 'half-open' : 'open'
  }

  /** When the next probe may begin (ms); meaningful while open. */
  get probeAt(): number {
    return this.#probeAt
  }

  /** A probe begins. */
  probe(): void {
    this.#probing = true
  }

  /** The probe was given up by whoever needed it: the next one may begin at once. */
  abandoned(): void {
    this.#probing = false
  }

  /** A connection came about; what failed before it, to be given back by `unsteady`. */
  succeeded(now: number): readonly number[] {
    const before = this.#failures
    this.#failures = []
    if (this.#open) this.#closedAt = now
    this.#open = false
    this.#probing = false
    return before
  }

  /** A connection came about and broke at once: that was no success. */
  unsteady(before: readonly number[], now: number): void {
    this.#failures = [...before, ...this.#failures]
    this.failed(now)
  }

  /** A connection did not come about. */
  failed(now: number): void {
    if (this.#open) {
      // Those begun before it opened say nothing new.
      if (this.#probing) this.#wait(now)
      return
    }
    this.#failures = [...this.#failures.filter(at => now - at < WITHIN_MS), now].slice(-FAILURES)
    if (this.#failures.length < FAILURES) return
    const again = now - this.#closedAt < STEADY_MS
    this.#probeMs = again ? Math.min(LONGEST_PROBE_MS, this.#probeMs * 2) : PROBE_MS
    this.#open = true
    this.#wait(now)
  }

  #wait(now: number): void {
    this.#probing = false
    this.#probeAt = now + this.#probeMs * (0.75 + this.#random() / 2)
  }
}
