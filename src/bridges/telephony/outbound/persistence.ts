import { after, type Clock } from '../../../common/clock.ts'
import type { Log } from '../../../common/log.ts'
import type { CallOrder, CallsApi } from '../../twilio/calls-api.ts'
import { RestFailure } from './rest-failure.ts'

/** Time during which a request that certainly was not executed is retried (ms). */
const ORDER_MS = 10_000
/** First delay between attempts (ms). It doubles with each attempt; half of it is random. */
const FIRST_PAUSE_MS = 500
/** Attempts to hang up; repeating this is harmless. */
const HANG_UP_ATTEMPTS = 5

export interface PersistenceTerms {
  readonly api: CallsApi
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
}

/**
 * Places a call once. Requests that certainly were not executed (no connection, rate limit) are retried for 10 s,
 * others never, so that no phone rings twice. Resolves to the CallSid, or undefined once `wanted` returns false
 * between attempts; rejects with `RestFailure`.
 */
export async function orderCall(
  order: CallOrder,
  { api, clock, random }: PersistenceTerms,
  wanted: () => boolean,
): Promise<string | undefined> {
  const until = clock.now() + ORDER_MS
  for (let attempt = 0; ; attempt++) {
    try {
      return await api.create(order)
    } catch (failure) {
      if (!(failure instanceof RestFailure) || failure.kind !== 'later' || clock.now() >= until) throw failure
    }
    await pause(clock, attempt, random)
    if (!wanted()) return undefined
  }
}

/** Hangs up a call; never rejects. Logs repeated failure: the call then ends at its time limit. */
export async function hangUpCall(
  callSid: string,
  dial: string,
  { api, clock, log, random }: PersistenceTerms,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await api.hangUp(callSid)
    } catch (failure) {
      const refused = failure instanceof RestFailure && failure.kind === 'refused'
      if (refused || attempt === HANG_UP_ATTEMPTS) {
        const error = failure instanceof RestFailure ? failure.message : 'unknown'
        return log.error({ dial, callSid, error }, 'hang-up failed')
      }
    }
    await pause(clock, attempt - 1, random)
  }
}

function pause(clock: Clock, attempt: number, random: () => number): Promise<void> {
  const ms = FIRST_PAUSE_MS * 2 ** Math.min(attempt, 3) * (0.5 + random() / 2)
  return new Promise(resolve => void after(clock, ms, resolve))
}
