import type { DialInput, FinalStatus } from '../telephony/outbound/dial-state.ts'

const FINAL: readonly string[] = [
  'completed',
  'busy',
  'no-answer',
  'failed',
  'canceled',
] satisfies FinalStatus[]

/** Converts a `CallStatus` (Twilio: Call resource); undefined if it is irrelevant. */
export function inputOf(status: string): DialInput | undefined {
  if (FINAL.includes(status)) return { type: 'final', status: status as FinalStatus }
  if (status === 'ringing') return { type: 'ringing' }
  // The callback event `answered` has this status.
  if (status === 'in-progress') return { type: 'picked-up' }
  return undefined
}

/**
 * Converts an `AnsweredBy` (Twilio: Answering Machine Detection); anything not identified as a machine is a person.
 */
export function verdictOf(answeredBy: string): DialInput | undefined {
  if (answeredBy === 'human' || answeredBy === 'unknown') return { type: 'person' }
  if (answeredBy === 'fax' || answeredBy.startsWith('machine_')) return { type: 'machine' }
  return undefined
}
