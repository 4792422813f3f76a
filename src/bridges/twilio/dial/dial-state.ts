import type { DialEnd } from '../../../core/dialler.ts'
import { BridgeError } from '../../../core/errors.ts'

/** `person`: a machine is ruled out, or nobody looks for one. */
export type DialState =
  /** Asked for; Twilio may not even have answered yet. */
  | { readonly status: 'queued'; readonly person: boolean }
  | { readonly status: 'ringing'; readonly person: boolean }
  /** Picked up. Without `participant` the stream is due; with it the party is in the room, but not heard yet. */
  | { readonly status: 'answered'; readonly person: boolean; readonly participant?: string }
  | { readonly status: 'in-room'; readonly participant: string }
  | { readonly status: 'over'; readonly end: DialEnd; readonly error?: BridgeError }

/** Final states of a call as Twilio names them (Twilio: Call resource, `status`). */
export type FinalStatus = 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled'

export type DialInput =
  | { readonly type: 'ringing' }
  | { readonly type: 'picked-up' }
  /** A media stream of the call was admitted. */
  | { readonly type: 'stream'; readonly participant: string }
  /** Found to be a person, or taken for one. */
  | { readonly type: 'person' }
  | { readonly type: 'machine' }
  | { readonly type: 'final'; readonly status: FinalStatus }
  /** We hang up. */
  | { readonly type: 'hang-up' }
  /** Nobody came to the telephone for as long as was agreed. */
  | { readonly type: 'unanswered' }
  | { readonly type: 'failed'; readonly error: BridgeError }

/** The beginning of a call. `detects`: it may turn out to be a machine. */
export function queued(detects: boolean): DialState {
  return { status: 'queued', person: !detects }
}

/**
 *   queued ──▶ ringing ──▶ answered ──a stream, and a person──▶ in-room
 *      └───────────┴────────────┴──────────────┬───────────────────┘
 *                                              ▼
 *                                            over, for good
 *
 * News comes late, twice, and in any order: a call never goes back, and what says nothing new changes nothing (the
 * same state is returned).
 */
export function next(state: DialState, input: DialInput): DialState {
  if (state.status === 'over') return state
  switch (input.type) {
    case 'ringing':
      return state.status === 'queued' ? { ...state, status: 'ringing' } : state
    case 'picked-up':
      return isWaiting(state) ? { status: 'answered', person: state.person } : state
    case 'stream':
      return joined(state, input.participant)
    case 'person':
      return asPerson(state)
    case 'machine':
      return { status: 'over', end: 'voicemail' }
    case 'final':
      return ended(state, input.status)
    case 'hang-up':
      return { status: 'over', end: state.status === 'in-room' ? 'hangup' : 'cancelled' }
    case 'unanswered':
      return { status: 'over', end: state.status === 'in-room' ? 'hangup' : 'no-answer' }
    case 'failed':
      return { status: 'over', end: 'failed', error: input.error }
    default:
      return input satisfies never
  }
}

function isWaiting(state: DialState): state is DialState & { status: 'queued' | 'ringing' } {
  return state.status === 'queued' || state.status === 'ringing'
}

function joined(state: Exclude<DialState, { status: 'over' }>, participant: string): DialState {
  if (state.status === 'in-room' || state.person) return { status: 'in-room', participant }
  return { status: 'answered', person: false, participant }
}

function asPerson(state: Exclude<DialState, { status: 'over' }>): DialState {
  if (state.status === 'in-room' || state.person) return state
  const { participant } = { participant: undefined, ...state }
  return participant === undefined ? { ...state, person: true } : { status: 'in-room', participant }
}

function ended(state: DialState, status: FinalStatus): DialState {
  // The call was in the room: whatever word Twilio has for it, it was answered and has been hung up.
  if (state.status === 'in-room') return { status: 'over', end: 'hangup' }
  switch (status) {
    case 'busy':
    case 'no-answer':
      return { status: 'over', end: status }
    case 'canceled':
      return { status: 'over', end: 'cancelled' }
    case 'completed':
      // Picked up and put down again before anybody could talk.
      return { status: 'over', end: 'no-answer' }
    case 'failed':
      return {
        status: 'over',
        end: 'failed',
        error: new BridgeError('DIAL_FAILED', 'the call did not go through'),
      }
    default:
      return status satisfies never
  }
}
