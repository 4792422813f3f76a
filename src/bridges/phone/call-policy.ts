import { Ticker } from '../../common/clock.ts'
import { type LanguageId, languageTag } from '../../common/language.ts'
import type { OverloadCheck } from '../../core/calls/dialer-policies.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import { FALLBACK_LANGUAGE, noticesFor, sentence } from '../../messages/notices.ts'
import { DayUsage, type DayUsageOptions } from './day-usage.ts'
import type { Decision, IncomingCall, Rejection } from './incoming-call.ts'
import { NumberLeases } from './number-leases.ts'
import type { NumberSettings } from './number-settings.ts'
import { RESUMES_FIELD } from './resumption.ts'

/** Decides on a call: at once, or later if it depends on other nodes. */
export type Decide = (call: IncomingCall) => Decision | Promise<Decision>

/** Applies `next` to a value: at once if it is known, so that decisions of a single process stay synchronous. */
export function whenKnown<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Tells callers that all lines are in use, with the carrier’s voice to save load. */
export function busy(language: LanguageId): Rejection {
  const spoken = noticesFor(language) ? language : FALLBACK_LANGUAGE
  const text = sentence(noticesFor(spoken)!, 'line-full')
  return { refused: 'busy', notice: { text, language: languageTag(spoken) } }
}

/**
 * Wraps `invite` to reject new calls during overload and draining; admitted calls continue. `language` is the default.
 */
export function rejectWhileOverloaded(
  overloadCheck: OverloadCheck,
  language: LanguageId,
  invite: Decide,
): Decide {
  return call =>
    whenKnown(invite(call), decision => {
      const isInProgress = call.query[RESUMES_FIELD] !== undefined || Object.keys(call.answers).length > 0
      if (isInProgress || 'refused' in decision || !overloadCheck.rejection()) return decision
      return busy(('hears' in decision && decision.hears) || language)
    })
}

/** Interval between checks for ended calls (ms). */
const LOOK_MS = 1_000

export interface NumberQuotaOptions extends DayUsageOptions {
  /** Language of callers who have none. */
  readonly language: LanguageId
  readonly numbers: Readonly<Record<string, NumberSettings>>
  /** True if an admitted call is in progress or about to start. */
  readonly isInProgress: (callId: string) => boolean
  /** The limits apply to all its nodes together. Default: to this process. */
  readonly fleet?: Fleet | undefined
}

/**
 * Limits the calls to each number: concurrent calls, and minutes per day (UTC), rounded up to whole minutes per call.
 * Callers above a limit hear that all lines are in use; calls in progress continue. Usage is also stored in the ledger,
 * which can outlive this process. If the ledger does not know earlier usage, callers are admitted. In a fleet, calls and
 * minutes are also taken from the limits of all nodes.
 */
export class NumberQuota implements Disposable {
  /** Rejected callers, by limit: calls, minutes. */
  readonly rejected = { calls: 0, minutes: 0 }
  readonly #options: NumberQuotaOptions
  readonly #usage: DayUsage
  /** Absent: this process is alone. */
  readonly #leases: NumberLeases | undefined
  #ticker: Ticker | undefined

  constructor(options: NumberQuotaOptions) {
    this.#options = options
    const { fleet } = options
    this.#leases =
      fleet && fleet.status !== 'alone'
        ? new NumberLeases(fleet, {
            ...options,
            adopted: (callId, to) => this.#admit({ callId, to }),
            left: callId => this.#usage.drop(callId),
          })
        : undefined
    this.#usage = new DayUsage(options)
  }

  /** Wraps `invite` with the limits of the called number. */
  within(invite: Decide): Decide {
    return call => whenKnown(invite(call), decision => this.#decide(call, decision))
  }

  /** Returns the minutes of calls to `number` today, including calls in progress. */
  minutesOf(number: string): number {
    return this.#usage.used(scopeOf(number)).minutes
  }

  [Symbol.dispose](): void {
    this.#ticker?.[Symbol.dispose]()
    this.#leases?.[Symbol.dispose]()
  }

  #decide(call: IncomingCall, decision: Decision): Decision | Promise<Decision> {
    const { numbers, language } = this.#options
    const settings = Object.hasOwn(numbers, call.to) ? numbers[call.to] : undefined
    const limited = settings?.maxCalls !== undefined || settings?.maxMinutesPerDay !== undefined
    if (!limited || 'refused' in decision) return decision
    const known = this.#usage.running.has(call.callId) || call.query[RESUMES_FIELD] !== undefined
    const over = known ? undefined : this.#over(call.to, settings)
    const admits = !('ask' in decision)
    const leased =
      this.#leases && admits && !known && !over ? this.#leases.take(call.callId, call.to, settings) : over
    return whenKnown(leased, limit => {
      if (limit) {
        this.rejected[limit]++
        return busy(('hears' in decision && decision.hears) || language)
      }
      if (admits) this.#admit(call)
      return decision
    })
  }

  #over(number: string, { maxCalls, maxMinutesPerDay }: NumberSettings): 'calls' | 'minutes' | undefined {
    this.#look()
    const scope = scopeOf(number)
    let calls = 0
    for (const { scopes } of this.#usage.running.values()) if (scopes[0]?.name === scope) calls++
    if (calls >= (maxCalls ?? Number.POSITIVE_INFINITY)) return 'calls'
    return this.minutesOf(number) >= (maxMinutesPerDay ?? Number.POSITIVE_INFINITY) ? 'minutes' : undefined
  }

  #admit({ callId, to }: Pick<IncomingCall, 'callId' | 'to'>): void {
    if (this.#usage.running.has(callId)) return
    const limited = this.#options.numbers[to]?.maxMinutesPerDay !== undefined
    this.#usage.start(callId, [{ name: scopeOf(to), limited }])
    this.#usage.answer(callId)
    this.#ticker ??= new Ticker(this.#options.clock, LOOK_MS, () => this.#look())
  }

  #look(): void {
    for (const [callId, call] of [...this.#usage.running]) {
      const minutes = this.#usage.minutesOf(call)
      if (this.#options.isInProgress(callId)) this.#leases?.keep(callId, minutes)
      else if (this.#leases?.expects(callId)) this.#leases.seek(callId)
      else {
        this.#leases?.end(callId, minutes)
        this.#usage.end(callId)
      }
    }
    this.#usage.note()
    if (this.#usage.running.size > 0) return
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
  }
}

function scopeOf(number: string): string {
  return `in ${number}`
}
