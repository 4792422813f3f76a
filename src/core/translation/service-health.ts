import type { Clock } from '../../common/clock.ts'
import type { BridgeError } from '../../common/errors.ts'
import type { ServiceProblem } from '../model/events.ts'

/** Time within which a connection has to be ready while no other one is (ms). Shorter outages are not reported. */
const PATIENCE_MS = 1_500

const NO_ANSWER: ServiceProblem = {
  code: 'SERVICE_SILENT',
  message: `the service accepts no connection within ${PATIENCE_MS} ms`,
}

/**
 * Knows whether a service works and why it does not, from the connections to it. There is a problem if the service refuses
 * the key, or if no connection is ready and none becomes so within the patience. It ends with the next ready connection.
 */
export class ServiceHealth implements Disposable {
  /** Connections currently being opened. */
  opening = 0
  readonly #clock: Clock
  readonly #changed: () => void
  #ready = 0
  #problem: ServiceProblem | undefined
  /** The last failure since a connection was ready. */
  #failure: ServiceProblem | undefined
  #timer: Disposable | undefined

  /** `changed` is called when a problem starts, changes or ends by itself: not during a call of `report`. */
  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock
    this.#changed = changed
  }

  get problem(): ServiceProblem | undefined {
    return this.#problem
  }

  /** A connection is being opened. */
  attempted(): void {
    this.opening++
    this.#watch()
  }

  /** The connection that was being opened is ready. */
  succeeded(): void {
    this.opening--
    this.#ready++
    this.answered()
  }

  /** The connection that was being opened has failed. */
  failed({ code, message, retryable, full }: BridgeError): void {
    this.opening--
    this.#failure = { code, message }
    if (code === 'SERVICE_KEY_REFUSED') this.report()
    // Only this request is refused, or all places are in use, by a service that works.
    else if (!retryable || full) this.answered()
    else {
      if (this.#problem) this.#problem = { code, message }
      this.#watch()
    }
  }

  /** The connection that was being opened is not wanted any more. */
  abandoned(): void {
    this.opening--
    if (this.opening === 0 && !this.#failure) this.#stop()
  }

  /** A connection that was ready has ended. */
  ended(): void {
    this.#ready--
  }

  /** The service has shown that it works. */
  answered(): void {
    this.#stop()
    this.#failure = undefined
    this.#problem = undefined
  }

  /** Reports the last failure as the problem, without waiting. */
  report(): void {
    this.#stop()
    this.#problem = this.#failure ?? this.#problem ?? NO_ANSWER
  }

  [Symbol.dispose](): void {
    this.#stop()
  }

  #watch(): void {
    if (this.#ready > 0 || this.#problem) return
    this.#timer ??= this.#clock.at(this.#clock.now() + PATIENCE_MS, () => {
      this.#timer = undefined
      if (this.#ready > 0) return
      this.report()
      this.#changed()
    })
  }

  #stop(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
  }
}
