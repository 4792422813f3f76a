import type { Clock } from '../../../common/clock.ts'
import { askWebhook } from './request.ts'
import type { Route } from './route.ts'
import type { StreamNoun } from './twiml.ts'
import type { StreamIds } from './wire.ts'

export type StreamEvent = 'stream-started' | 'stream-stopped' | 'stream-error'

export interface StatusCallback {
  noun: StreamNoun
  ids: StreamIds
  event: StreamEvent
  error: string | undefined
  route: Route
  authToken: string | undefined
  clock: Clock
}

/** Reports the result of a stream to `statusCallback`. Returns a failure (15003), in words; best effort as with Twilio. */
export async function tellStatus(callback: StatusCallback): Promise<string | undefined> {
  const { noun, ids, event, error, route, authToken, clock } = callback
  const fields: Record<string, string> = {
    AccountSid: ids.accountSid,
    CallSid: ids.callSid,
    StreamEvent: event,
    StreamName: noun.name ?? ids.streamSid,
    StreamSid: ids.streamSid,
    // A date for people: the only time that is not from the call's clock.
    Timestamp: new Date().toISOString(),
    ...(error === undefined ? {} : { StreamError: error }),
  }
  const { signal } = new AbortController()
  const url = noun.statusCallback ?? ''
  const method = noun.statusCallbackMethod
  const answer = await askWebhook({ url, method, fields, route, clock, authToken, signal })
  return answer.ok ? undefined : answer.why
}
