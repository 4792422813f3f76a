import type { Clock } from './clock.ts'
import { type Log, thrown } from './log.ts'
import type { RelayMetrics } from './metrics.ts'

/** Faults remembered as told, at most. */
const TOLD_MOST = 100

/**
 * What was thrown on behalf of one leg, utterance, session or onlooker, and caught there, so that it costs no more than
 * that. All are counted; each is logged once with its stack, however often it comes.
 */
export class ContainedFaults {
  readonly #log: Log
  readonly #metrics: Pick<RelayMetrics, 'faultsContained'>
  readonly #told = new Set<string>()

  constructor(log: Log, metrics: Pick<RelayMetrics, 'faultsContained'>) {
    this.#log = log
    this.#metrics = metrics
  }

  /** `message`: what failed, always the same words for the same place; `about`: whose. */
  note(message: string, error: unknown, about: object = {}): void {
    this.#metrics.faultsContained++
    const fields = thrown(error)
    // By where it was thrown, not by who called: the same fault may be met on several ways.
    const key = [message, ...fields.stack.split('\n', 2)].join('\n')
    if (this.#told.has(key)) return
    if (this.#told.size >= TOLD_MOST) this.#told.delete(this.#told.values().next().value!)
    this.#told.add(key)
    this.#log.error({ ...about, ...fields }, message)
  }

  /** `clock`, on which a task that throws harms no other. */
  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      at: (deadline, task) =>
        clock.at(deadline, () => {
          try {
            task()
          } catch (error) {
            this.note('a timer failed', error)
          }
        }),
    }
  }
}
