import { type BackoffPolicy, backoffMs } from '../../../common/backoff.ts'
import { type Clock, pause } from '../../../common/clock.ts'
import type { Logger } from '../../../common/log.ts'
import { type CallOrder, type CarrierApi, CarrierError } from '../carrier.ts'

/** Time during which a request that certainly was not executed is retried (ms). */
const ORDER_MS = 10_000
/** Retries of requests. */
const RETRY: BackoffPolicy = { firstMs: 500, maxMs: 4_000 }
/** Attempts to hang up; repeating this is harmless. */
const HANG_UP_ATTEMPTS = 5

export interface PersistenceOptions {
  readonly api: CarrierApi
  readonly clock: Clock
  readonly log: Logger
  readonly random: () => number
}

/**
 * Places a call once. Requests that certainly were not executed (no connection, rate limit) are retried for 10 s,
 * others never, so that no phone rings twice. Resolves to the carrier’s id of the call, or undefined once `wanted` returns false
 * between attempts; rejects with `CarrierError`.
 */
export async function placeCall(
  order: CallOrder,
  { api, clock, random }: PersistenceOptions,
  wanted: () => boolean,
): Promise<string | undefined> {
  const until = clock.now() + ORDER_MS
  for (let attempt = 0; ; attempt++) {
    try {
      return await api.place(order)
    } catch (failure) {
      if (!(failure instanceof CarrierError) || failure.kind !== 'later' || clock.now() >= until)
        throw failure
    }
    await pause(clock, backoffMs(attempt + 1, RETRY, random()))
    if (!wanted()) return undefined
  }
}

/** Hangs up a call; never rejects. Logs repeated failure: the call then ends at its time limit. */
export async function hangUpCall(
  callId: string,
  dial: string,
  { api, clock, log, random }: PersistenceOptions,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await api.hangUp(callId)
    } catch (failure) {
      const refused = failure instanceof CarrierError && failure.kind === 'refused'
      if (refused || attempt === HANG_UP_ATTEMPTS) {
        const error = failure instanceof CarrierError ? failure.message : 'unknown'
        return log.error({ dial, callId, error }, 'hang-up failed')
      }
    }
    await pause(clock, backoffMs(attempt, RETRY, random()))
  }
}
