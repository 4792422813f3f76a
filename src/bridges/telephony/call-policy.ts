import { type Clock, Ticker } from '../../common/clock.ts'
import { type LanguageId, languageTag } from '../../common/language.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { AdmissionControl } from '../../core/calls/dialer-policies.ts'
import type { Invitation } from '../../core/model/invitation.ts'
import { FALLBACK_LANGUAGE, noticesFor, sentence } from '../../messages/notices/notices.ts'
import type { CallerPrompt, IncomingCall, Rejection } from './incoming-call.ts'
import type { NumberSettings } from './number-settings.ts'
import { type DayLedger, forgetfulLedger } from './outbound/usage-limits.ts'
import { RESUMES_FIELD } from './resumption.ts'

export type Decision = Invitation | Rejection | CallerPrompt

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
  admissionControl: AdmissionControl,
  language: LanguageId,
  invite: (call: IncomingCall) => Decision,
): (call: IncomingCall) => Decision {
  return call => {
    const decision = invite(call)
    const isInProgress = call.query[RESUMES_FIELD] !== undefined || Object.keys(call.answers).length > 0
    if (isInProgress || 'refused' in decision || !admissionControl.rejection()) return decision
    return busy(('hears' in decision && decision.hears) || language)
  }
}

/** Interval between checks for ended calls (ms). */
const LOOK_MS = 1_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export interface NumberLimitsOptions {
  /** Language of callers who have none. */
  readonly language: LanguageId
  readonly numbers: Readonly<Record<string, NumberSettings>>
  /** True if an admitted call is in progress or about to start. */
  readonly isInProgress: (callId: string) => boolean
  readonly clock: Clock
  readonly wallClock: WallClock
  /** Stores minutes across restarts. Default: not stored. */
  readonly ledger?: DayLedger | undefined
}

/**
 * Limits the calls to each number: concurrent calls, and minutes per day (UTC), rounded up to whole minutes per call.
 * Callers above a limit hear that all lines are in use; calls in progress continue. Usage is also stored in the ledger,
 * which can outlive this process. If the ledger does not know earlier usage, callers are admitted.
 */
export class NumberQuota implements Disposable {
  /** Rejected callers, by limit: calls, minutes. */
  readonly rejected = { calls: 0, minutes: 0 }
  readonly #options: NumberLimitsOptions
  readonly #ledger: DayLedger
  readonly #running = new Map<string, { readonly number: string; readonly since: number }>()
  readonly #minutes = new Map<string, number>()
  #ticker: Ticker | undefined
  #day: number

  constructor(parts: NumberLimitsOptions) {
    this.#options = parts
    this.#ledger = parts.ledger ?? forgetfulLedger
    this.#day = this.#today()
  }

  /** Wraps `invite` with the limits of the called number. */
  within(invite: (call: IncomingCall) => Decision): (call: IncomingCall) => Decision {
    return call => {
      const { numbers } = this.#options
      const settings = Object.hasOwn(numbers, call.to) ? numbers[call.to] : undefined
      const decision = invite(call)
      const limited = settings?.maxCalls !== undefined || settings?.maxMinutesPerDay !== undefined
      if (!limited || 'refused' in decision) return decision
      const known = this.#running.has(call.callId) || call.query[RESUMES_FIELD] !== undefined
      const over = known ? undefined : this.#over(call.to, settings)
      if (over) {
        this.rejected[over]++
        return busy(('hears' in decision && decision.hears) || this.#options.language)
      }
      if (!('ask' in decision)) this.#admit(call)
      return decision
    }
  }

  /** Returns the minutes of calls to `number` today, including calls in progress. */
  minutesOf(number: string): number {
    return this.#ledger.earlier(scopeOf(number)).minutes + this.#own(number)
  }

  /** Minutes that this process counted. */
  #own(number: string): number {
    this.#turn()
    let minutes = this.#minutes.get(number) ?? 0
    for (const each of this.#running.values())
      if (each.number === number) minutes += this.#minutesSince(each.since)
    return minutes
  }

  [Symbol.dispose](): void {
    this.#ticker?.[Symbol.dispose]()
  }

  #over(number: string, { maxCalls, maxMinutesPerDay }: NumberSettings): 'calls' | 'minutes' | undefined {
    this.#look()
    let calls = 0
    for (const each of this.#running.values()) if (each.number === number) calls++
    if (calls >= (maxCalls ?? Number.POSITIVE_INFINITY)) return 'calls'
    return this.minutesOf(number) >= (maxMinutesPerDay ?? Number.POSITIVE_INFINITY) ? 'minutes' : undefined
  }

  #admit({ callId, to }: IncomingCall): void {
    if (this.#running.has(callId)) return
    this.#running.set(callId, { number: to, since: this.#options.clock.now() })
    this.#note(to)
    this.#ticker ??= new Ticker(this.#options.clock, LOOK_MS, () => this.#look())
  }

  #look(): void {
    this.#turn()
    for (const [callId, { number, since }] of this.#running) {
      if (this.#options.isInProgress(callId)) continue
      this.#running.delete(callId)
      this.#minutes.set(number, (this.#minutes.get(number) ?? 0) + this.#minutesSince(since))
      this.#note(number)
    }
    for (const number of new Set(Array.from(this.#running.values(), each => each.number))) this.#note(number)
    if (this.#running.size > 0) return
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
  }

  #note(number: string): void {
    if (this.#options.numbers[number]?.maxMinutesPerDay === undefined) return
    this.#ledger.note(scopeOf(number), { minutes: this.#own(number), spend: 0 })
  }

  #minutesSince(since: number): number {
    return Math.max(1, Math.ceil((this.#options.clock.now() - since) / MINUTE_MS))
  }

  /** Resets usage on a new day. */
  #turn(): void {
    const today = this.#today()
    if (today === this.#day) return
    this.#day = today
    this.#minutes.clear()
  }

  #today(): number {
    return Math.floor(this.#options.wallClock() / DAY_MS)
  }
}

function scopeOf(number: string): string {
  return `in ${number}`
}
