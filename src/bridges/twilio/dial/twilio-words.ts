import type { DialInput, FinalStatus } from './dial-state.ts'

const FINAL: readonly string[] = [
  'completed',
  'busy',
  'no-answer',
  'failed',
  'canceled',
] satisfies FinalStatus[]

/** What a `CallStatus` says (Twilio: Call resource); undefined for what is no news. */
export function inputOf(status: string): DialInput | undefined {
  if (FINAL.includes(status)) return { type: 'final', status: status as FinalStatus }
  if (status === 'ringing') return { type: 'ringing' }
  // The callback event `answered` comes with this status.
  if (status === 'in-progress') return { type: 'picked-up' }
  return undefined
}

/** What an `AnsweredBy` says (Twilio: Answering Machine Detection): who is not known for a machine is a person. */
export function verdictOf(answeredBy: string): DialInput | undefined {
  if (answeredBy === 'human' || answeredBy === 'unknown') return { type: 'person' }
  if (answeredBy === 'fax' || answeredBy.startsWith('machine_')) return { type: 'machine' }
  return undefined
}
