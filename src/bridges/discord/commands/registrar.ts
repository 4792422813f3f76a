import { after, type Clock } from '../../../core/clock.ts'
import type { CommandCounters } from './command-counters.ts'
import { type RegistrationResult, type RegistrationTerms, registerCommand } from './registration.ts'
import type { RestTrouble } from './rest-trouble.ts'

/** Waits between attempts double up to the longest (ms). */
const FIRST_MS = 30_000
const LONGEST_MS = 600_000
/** Troubles that pass. */
const PASSING: readonly RestTrouble['kind'][] = ['limited', 'broken', 'unreachable']

/** Keeps the command registered as it should be: again later where Discord was away, once at a time. */
export class Registrar implements Disposable {
  readonly #terms: RegistrationTerms
  readonly #clock: Clock
  readonly #counters: CommandCounters
  #attempts = 0
  #working: Promise<void> | undefined
  #timer: Disposable | undefined
  #closed = false

  constructor(
    terms: RegistrationTerms,
    { clock, counters }: { readonly clock: Clock; readonly counters: CommandCounters },
  ) {
    this.#terms = terms
    this.#clock = clock
    this.#counters = counters
  }

  /** Looks now, and registers what is not as it should be. Settles when that is done; never rejects. */
  look(): Promise<void> {
    this.#working ??= this.#look().finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  /** Nothing is tried any more. */
  [Symbol.dispose](): void {
    this.#closed = true
    this.#timer?.[Symbol.dispose]()
  }

  async #look(): Promise<void> {
    this.#timer?.[Symbol.dispose]()
    if (this.#closed) return
    const results = await registerCommand(this.#terms)
    this.#counters.registrations += results.filter(({ result }) => result === 'registered').length
    this.#counters.registrationsFailed += results.filter(isTrouble).length
    if (!results.some(each => isTrouble(each) && PASSING.includes(each.result.kind))) {
      this.#attempts = 0
      return
    }
    if (this.#closed) return
    const waitMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#attempts++)
    this.#timer = after(this.#clock, waitMs, () => void this.look())
  }
}

function isTrouble(each: RegistrationResult): each is RegistrationResult & { readonly result: RestTrouble } {
  return typeof each.result === 'object'
}
