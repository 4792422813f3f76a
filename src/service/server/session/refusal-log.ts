import { type Clock, setTimer } from '../../../common/clock.ts'
import { MINUTE_MS } from '../../../common/durations.ts'
import type { Logger } from '../../../common/log.ts'
import { addressPrefix } from '../../../net/client-address.ts'

/** Maximum number of addresses and reasons that are counted separately; all others share one count per reason. */
const MOST_COUNTED = 1_000

interface Counted {
  /** Refusals since the last line. */
  count: number
  readonly timer: Disposable
}

/**
 * Logs clients that are refused before they have a session: one line per address, reason and minute. The first refusal
 * is logged at once; the line after a minute has the number of those that followed.
 */
export class RefusalLog implements Disposable {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #counted = new Map<string, Counted>()

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock
    this.#log = log
  }

  /** `reason` has no text from the client; `more` is logged as well. */
  note(address: string | undefined, reason: string, more: object = {}): void {
    const full = this.#counted.size >= MOST_COUNTED
    const own = `${addressPrefix(address)} ${reason}`
    const from = full && !this.#counted.has(own) ? 'others' : addressPrefix(address)
    const name = `${from} ${reason}`
    const known = this.#counted.get(name)
    if (known) known.count++
    else this.#tell(name, { address: from, reason, ...more }, 1)
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#counted.values()) timer[Symbol.dispose]()
    this.#counted.clear()
  }

  #tell(name: string, fields: object, count: number): void {
    this.#log.warn({ ...fields, count }, 'connection rejected')
    const timer = setTimer(this.#clock, MINUTE_MS, () => {
      const { count } = this.#counted.get(name)!
      this.#counted.delete(name)
      if (count > 0) this.#tell(name, fields, count)
    })
    this.#counted.set(name, { count: 0, timer })
  }
}
