import type { Clock } from '../../../common/clock.ts'
import type { Logger } from '../../../common/log.ts'
import { type RollingUsage, spokenMs, type UsageLedger } from '../../usage-ledger.ts'
import { EngineError, type EngineKind, type EngineReport } from '../engine.ts'
import { type BilledAmounts, type Billing, billedDirection, costOf } from './billing.ts'
import { type EngineFigures, FIRST_RESULT_BOUNDS, type Outcome } from './engine-figures.ts'

/** The budget of an engine is used up: the next suitable engine serves. */
export class OverBudgetError extends EngineError {
  constructor(kind: EngineKind, engine: string) {
    super(kind, engine, 'its budget is used up')
    this.name = 'OverBudgetError'
  }
}

/** Audio that is counted before the budget is checked again (ms). */
const CHECK_MS = 1_000
/** Money is kept in whole millionths. */
const MILLION = 1e6

export interface EngineMeterOptions {
  readonly kind: EngineKind
  /** Unique within its kind. */
  readonly engine: string
  readonly billing: Billing
  /** Keeps what budgets count, over restarts if it is saved. */
  readonly ledger: UsageLedger
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Counts the work and cost of one engine, and tells when its budget is used up. Budgets are limits of any 24 hours, like
 * the quotas of keys.
 */
export class EngineMeter {
  readonly kind: EngineKind
  readonly engine: string
  readonly clock: Clock
  readonly #options: EngineMeterOptions
  readonly #requests: Record<Outcome, number> = { ok: 0, failed: 0, over_budget: 0 }
  readonly #audioMs = { in: 0, out: 0 }
  readonly #tokens = { in: 0, out: 0 }
  readonly #upTo = FIRST_RESULT_BOUNDS.map(() => 0)
  readonly #spent: RollingUsage | undefined
  readonly #used: RollingUsage | undefined
  #firstSum = 0
  #firstCount = 0
  #characters = 0
  #connections = 0
  #renewals = 0
  #cost = 0
  /** Billed audio that is not in the ledger yet (ms). */
  #pendingMs = 0
  #overBudget = false

  constructor(options: EngineMeterOptions) {
    const { kind, engine, billing, ledger, clock } = options
    this.#options = options
    this.kind = kind
    this.engine = engine
    this.clock = clock
    const { price, budget } = billing
    const mark = `engine: ${kind} ${engine}`
    if (budget?.perDay !== undefined && price) this.#spent = ledger.of(`${mark}, ${price.currency}`)
    if (budget?.minutesPerDay !== undefined) this.#used = ledger.of(mark)
  }

  /** Throws an `OverBudgetError`, which counts as a request, while the budget is used up. */
  assertBudget(): void {
    if (!this.#checked()) return
    this.#requests.over_budget++
    throw new OverBudgetError(this.kind, this.engine)
  }

  /** Counts the end of a request that started after `assertBudget`. */
  ended(outcome: Outcome): void {
    this.#requests[outcome]++
  }

  /** Counts an open stream until the result is disposed. */
  connected(): Disposable {
    this.#connections++
    let open = true
    return {
      [Symbol.dispose]: () => {
        if (open) this.#connections--
        open = false
      },
    }
  }

  /** Counts audio. Returns false if the budget is used up, which is known within a second of audio. */
  audio(direction: 'in' | 'out', ms: number): boolean {
    this.#audioMs[direction] += ms
    if (direction !== billedDirection(this.kind)) return true
    this.#pendingMs += ms
    if (this.#pendingMs < CHECK_MS) return true
    this.flush()
    return !this.#checked()
  }

  /** Bills audio that is not billed yet; call it at the end of a stream. */
  flush(): void {
    const audioMs = this.#pendingMs
    this.#pendingMs = 0
    this.#bill({ audioMs }, audioMs)
  }

  /** Counts text given to the engine. */
  text(text: string): void {
    const characters = text.length
    this.#characters += characters
    this.#bill({ characters }, this.kind === 'translation' ? spokenMs(characters) : 0)
  }

  /** Counts what the engine itself reports. */
  reported({ inputTokens = 0, outputTokens = 0, renewals = 0 }: EngineReport): void {
    this.#tokens.in += inputTokens
    this.#tokens.out += outputTokens
    this.#renewals += renewals
    this.#bill({ inputTokens, outputTokens }, 0)
  }

  /** Counts the time to a first result (ms). */
  firstResult(ms: number): void {
    const seconds = Math.max(0, ms) / 1_000
    for (let at = FIRST_RESULT_BOUNDS.length - 1; at >= 0 && seconds <= FIRST_RESULT_BOUNDS[at]!; at--)
      this.#upTo[at]!++
    this.#firstSum += seconds
    this.#firstCount++
  }

  get figures(): EngineFigures {
    const { price } = this.#options.billing
    const unbilled = { audioMs: this.#pendingMs }
    return {
      kind: this.kind,
      engine: this.engine,
      requests: { ...this.#requests },
      audioSeconds: { in: this.#audioMs.in / 1_000, out: this.#audioMs.out / 1_000 },
      characters: this.#characters,
      tokens: { ...this.#tokens },
      connections: this.#connections,
      renewals: this.#renewals,
      firstResult: { upTo: [...this.#upTo], sum: this.#firstSum, count: this.#firstCount },
      cost: price && { currency: price.currency, amount: this.#cost + costOf(price, unbilled) },
      overBudget: this.#checked(),
    }
  }

  #bill(amounts: BilledAmounts, audioMs: number): void {
    const cost = costOf(this.#options.billing.price, amounts)
    this.#cost += cost
    if (cost > 0) this.#spent?.add(cost * MILLION)
    if (audioMs > 0) this.#used?.add(audioMs)
  }

  /** Returns true while the budget is used up; logs the change. */
  #checked(): boolean {
    const { budget } = this.#options.billing
    if (!budget) return false
    const { perDay = Number.POSITIVE_INFINITY, minutesPerDay = Number.POSITIVE_INFINITY } = budget
    const over =
      (this.#spent?.used ?? 0) >= perDay * MILLION || (this.#used?.used ?? 0) >= minutesPerDay * 60_000
    if (over === this.#overBudget) return over
    this.#overBudget = over
    const { kind, engine, log } = this.#options
    if (over) log.warn({ kind, engine, ...budget }, 'engine over budget')
    else log.info({ kind, engine }, 'engine within budget again')
    return over
  }
}
