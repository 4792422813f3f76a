import { backoffMs } from '../../common/backoff.ts'
import { PROBE, REFUSED_PROBE } from './reconnect-backoff.ts'
import type { ServiceHealth } from './service-health.ts'
import type { Translator } from './translator.ts'

/** Consecutive failures that open the circuit. */
const FAILURES = 5
/** … if they occur within this time (ms). */
const WITHIN_MS = 20_000
/** If the circuit opens again within this time after it closed, the time between probes doubles (ms). */
const STEADY_MS = 10_000

/**
 * Circuit breaker between many sessions and one service. Closed: all sessions can connect. Open: only one probe at a time
 * can, so that a failed or recovering service receives one connection instead of all. Pure: callers pass the time.
 */
export class CircuitBreaker {
  readonly #random: () => number
  /** Times of the latest consecutive failures (ms). */
  #failures: number[] = []
  #open = false
  #probing = false
  #probeAt = 0
  /** Times in a row that the circuit opened shortly after it had closed. */
  #reopened = 1
  /** Consecutive refusals of the key. */
  #refusals = 0
  #closedAt = Number.NEGATIVE_INFINITY

  /** `random` in [0, 1). */
  constructor(random: () => number) {
    this.#random = random
  }

  /** `half-open`: open, with a probe in progress. */
  get status(): 'closed' | 'open' | 'half-open' {
    if (!this.#open) return 'closed'
    return this.#probing ? 'half-open' : 'open'
  }

  /** Time from which the next probe can start (ms); meaningful only while open. */
  get probeAt(): number {
    return this.#probeAt
  }

  /** Records the start of a probe. */
  probe(): void {
    this.#probing = true
  }

  /** Records that the caller canceled the probe. The next one can start immediately. */
  abandoned(): void {
    this.#probing = false
  }

  /** Records a successful connection. Returns the failures before it, which `unsteady` can restore. */
  succeeded(now: number): readonly number[] {
    const before = this.#failures
    this.#failures = []
    this.#refusals = 0
    if (this.#open) this.#closedAt = now
    this.#open = false
    this.#probing = false
    return before
  }

  /** Records that a successful connection failed soon afterwards: restores the failures `before` it and adds one. */
  unsteady(before: readonly number[], now: number): void {
    this.#failures = [...before, ...this.#failures]
    this.failed(now)
  }

  /** Records a failed connection attempt. */
  failed(now: number): void {
    if (this.#open) {
      // Attempts that started before the circuit opened carry no new information.
      if (this.#probing) this.#wait(now)
      return
    }
    this.#failures = [...this.#failures.filter(at => now - at < WITHIN_MS), now].slice(-FAILURES)
    if (this.#failures.length < FAILURES) return
    const again = now - this.#closedAt < STEADY_MS
    this.#reopened = again ? this.#reopened + 1 : 1
    this.#open = true
    this.#wait(now)
  }

  /** Records that the service refuses the key: opens at once, since every connection would be refused. */
  refused(now: number): void {
    // Attempts that started before the circuit opened carry no new information.
    if (this.#open && !this.#probing) return
    this.#open = true
    this.#probing = false
    this.#probeAt = now + backoffMs(++this.#refusals, REFUSED_PROBE, this.#random())
  }

  #wait(now: number): void {
    this.#probing = false
    this.#probeAt = now + backoffMs(this.#reopened, PROBE, this.#random())
  }
}

/** Maximum number of connections being opened to one service; further ones wait, which prevents bursts of hundreds. */
const MOST_OPENING = 50

/** One of the services, with its circuit breaker and its health. */
export class Upstream {
  /** 0 is the preferred service; the others are fallbacks in this order. */
  readonly place: number
  readonly translator: Translator
  readonly circuit: CircuitBreaker
  readonly health: ServiceHealth

  constructor(place: number, translator: Translator, health: ServiceHealth, random: () => number) {
    this.place = place
    this.translator = translator
    this.health = health
    this.circuit = new CircuitBreaker(random)
  }

  /** True if another connection can be opened. */
  get free(): boolean {
    return this.circuit.status === 'closed' && this.health.opening < MOST_OPENING
  }
}
