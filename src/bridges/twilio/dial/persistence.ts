import { after, type Clock } from '../../../core/clock.ts'
import type { Log } from '../../../core/log.ts'
import type { CallOrder, CallsApi } from './calls-api.ts'
import { RestFailure } from './rest-failure.ts'

/** How long a request that was certainly not done is tried again (ms). */
const ORDER_MS = 10_000
/** The first pause between two attempts (ms); each is twice as long as the one before, half of it by chance. */
const FIRST_PAUSE_MS = 500
/** Attempts to hang up; it may be done twice without harm. */
const HANG_UP_ATTEMPTS = 5

export interface PersistenceTerms {
  readonly api: CallsApi
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
}

/**
 * Places a call once. What was certainly not done (nobody there, too many requests) is asked again for 10 s, anything
 * else never: nobody's phone shall ring twice. Resolves to the CallSid, or to nothing once `wanted` says no between two
 * attempts; rejects with `RestFailure`.
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

/** Hangs up a call; never rejects. What does not work after several attempts is logged: the call has its time limit. */
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
        return log.error({ dial, callSid, error }, 'a call could not be hung up')
      }
    }
    await pause(clock, attempt - 1, random)
  }
}

function pause(clock: Clock, attempt: number, random: () => number): Promise<void> {
  const ms = FIRST_PAUSE_MS * 2 ** Math.min(attempt, 3) * (0.5 + random() / 2)
  return new Promise(resolve => void after(clock, ms, resolve))
}
