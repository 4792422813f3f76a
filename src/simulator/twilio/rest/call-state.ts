/** State of a call as in the API (Twilio: Call resource, `status`). */
export type CallStatus = 'queued' | 'ringing' | 'in-progress' | FinalStatus

/** Status of an ended call. */
export type FinalStatus = 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled'

export const CALL_STATUSES: readonly CallStatus[] = [
  'queued',
  'ringing',
  'in-progress',
  'completed',
  'busy',
  'no-answer',
  'failed',
  'canceled',
]

const ORDER: Readonly<Record<string, number>> = { queued: 0, ringing: 1, 'in-progress': 2 }

export function isFinal(status: CallStatus): status is FinalStatus {
  return !(status in ORDER)
}

/**
 *
 * queued ──▶ ringing ──▶ in-progress ──▶ completed
 *      └──────────┴──▶ busy, no-answer, failed, canceled
 *
 * Returns the status after `wanted` was requested: a call never goes back, and a call that is over stays over.
 */
export function after(status: CallStatus, wanted: CallStatus): CallStatus {
  if (isFinal(status)) return status
  if (isFinal(wanted)) return wanted
  return (ORDER[wanted] ?? 0) > (ORDER[status] ?? 0) ? wanted : status
}
