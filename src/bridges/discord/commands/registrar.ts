import { after, type Clock } from '../../../common/clock.ts'
import type { CommandCounters } from '../command-counters.ts'
import { type RegistrationResult, type RegistrationTerms, registerCommand } from './registration.ts'
import type { RestTrouble } from './rest-trouble.ts'

/** First and maximum delay between attempts; the delay doubles (ms). */
const FIRST_MS = 30_000
const LONGEST_MS = 600_000
/** Temporary problems. */
const PASSING: readonly RestTrouble['kind'][] = ['limited', 'broken', 'unreachable']

/** Keeps the command registered: retries after temporary problems, one attempt at a time. */
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

  /** Checks the registration and updates it if needed. Never rejects. */
  look(): Promise<void> {
    this.#working ??= this.#look().finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  /** Stops retrying. */
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
