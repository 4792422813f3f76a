import { type Clock, Ticker } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { type Logger, noopLogger } from '../../common/log.ts'
import type { Fleet } from '../model/fleet.ts'

/** Interval at which the nodes without the lease try to take it (ms). */
const TRY_MS = 1_000

export interface FleetLeaseOptions {
  readonly fleet: Fleet
  /** A name for something that only one node can have at a time, the same on all nodes. */
  readonly name: string
  readonly clock: Clock
  readonly log?: Logger
}

/**
 * Something that only one node of a fleet can have at a time. The others wait until that node gives it up, or has ended:
 * then one of them takes it within seconds. A node keeps it while the fleet is unavailable.
 */
export class FleetLease implements Disposable {
  readonly #options: FleetLeaseOptions
  readonly #log: Logger
  #ticker: Ticker | undefined
  #lost: Disposable | undefined
  #epoch: number | undefined
  #claiming = false

  constructor(options: FleetLeaseOptions) {
    this.#options = options
    this.#log = options.log ?? noopLogger
  }

  /**
   * Tries to take the lease from now on. Calls `taken` once this node has it, and `lost` if another one has taken it
   * nevertheless, because this one did not respond; it is then not taken again. Call it once.
   */
  start(taken: () => void, lost: () => void): void {
    const { fleet, name, clock } = this.#options
    this.#lost = fleet.registrar.onLost((each, epoch) => {
      if (each !== name || epoch !== this.#epoch) return
      this.#epoch = undefined
      this.#log.warn({ lease: name }, 'lease lost to another node')
      lost()
    })
    const attempt = () => void this.#try(taken)
    this.#ticker = new Ticker(clock, TRY_MS, attempt)
    attempt()
  }

  /** Lets another node take it; this one does not try again. Never rejects. */
  async release(): Promise<void> {
    this[Symbol.dispose]()
    const epoch = this.#epoch
    this.#epoch = undefined
    if (epoch !== undefined) await this.#options.fleet.registrar.release(this.#options.name, epoch)
  }

  [Symbol.dispose](): void {
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
    this.#lost?.[Symbol.dispose]()
  }

  async #try(taken: () => void): Promise<void> {
    const { fleet, name } = this.#options
    if (this.#claiming) return
    this.#claiming = true
    try {
      const claim = await fleet.registrar.claim(name)
      if (claim.kind === 'elsewhere') return
      if (!this.#ticker) await fleet.registrar.release(name, claim.epoch)
      else {
        this.#ticker[Symbol.dispose]()
        this.#epoch = claim.epoch
        taken()
      }
    } catch (error) {
      // Tried again with the next tick.
      if (!(error instanceof BridgeError)) throw error
    } finally {
      this.#claiming = false
    }
  }
}
