import type { Clock } from '../../common/clock.ts'
import { errorFields, type Logger } from '../../common/log.ts'
import type { RelayCounters } from './relay-counters.ts'

/** Maximum number of faults remembered as logged. */
const TOLD_MOST = 100

/**
 * Counts and logs exceptions that were caught at the leg, utterance, session or observer that caused them, without
 * affecting others. Each distinct fault is logged only once, with its stack.
 */
export class ContainedFaults {
  readonly #log: Logger
  readonly #metrics: Pick<RelayCounters, 'faultsContained'>
  readonly #told = new Set<string>()

  constructor(log: Logger, metrics: Pick<RelayCounters, 'faultsContained'>) {
    this.#log = log
    this.#metrics = metrics
  }

  /** Records a fault. `message` is constant for each place in the code; `about` adds log fields such as ids. */
  note(message: string, error: unknown, about: object = {}): void {
    this.#metrics.faultsContained++
    const fields = errorFields(error)
    // Keyed by the place that threw, not by its callers: the same fault can be reached along several paths.
    const key = [message, ...fields.stack.split('\n', 2)].join('\n')
    if (this.#told.has(key)) return
    if (this.#told.size >= TOLD_MOST) this.#told.delete(this.#told.values().next().value!)
    this.#told.add(key)
    this.#log.error({ ...about, ...fields }, message)
  }

  /** Returns `clock` with tasks whose exceptions are caught and recorded here. */
  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      at: (deadline, task) =>
        clock.at(deadline, () => {
          try {
            task()
          } catch (error) {
            this.note('timer failed', error)
          }
        }),
    }
  }
}
