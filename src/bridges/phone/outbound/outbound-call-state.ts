import { BridgeError } from '../../../common/errors.ts'
import type { DialEnd } from '../../../core/model/dialer.ts'

/** Twilio can queue a call before it rings, at one a second per account (s). */
const QUEUE_SECONDS = 45
/** Twilio adds up to 5 s to the ringing time, and callbacks take a moment (s). */
const RING_MARGIN_SECONDS = 15
/** From the answer to the first stream (ms). */
const STREAM_MS = 15_000
/** Without a machine verdict by then, a person is assumed (ms). */
const HOLD_MS = 4_000
/** Time in which a broken stream can return (ms). */
const RETURN_MS = 30_000
/** Time in which a call of unknown status shows whether it was placed (ms). */
const DOUBT_MS = 5_000

/** Other inputs that determine the deadline of a state. */
export interface DialCircumstances {
  readonly ringSeconds: number
  /** The stream broke. */
  readonly lost: boolean
  /** It is unknown whether the call was placed. */
  readonly doubtful: boolean
}

export interface Deadline {
  readonly ms: number
  /** `look`: query the carrier for the status, since callbacks can get lost. */
  readonly step: 'give-up' | 'person' | 'look'
}

/** Returns the maximum duration of `state` and the step that follows, or undefined without a limit. */
export function deadlineOf(
  state: DialState,
  { ringSeconds, lost, doubtful }: DialCircumstances,
): Deadline | undefined {
  switch (state.status) {
    case 'queued':
      return doubtful
        ? { ms: DOUBT_MS, step: 'give-up' }
        : { ms: (ringSeconds + QUEUE_SECONDS) * 1_000, step: 'look' }
    case 'ringing':
      return { ms: (ringSeconds + RING_MARGIN_SECONDS) * 1_000, step: 'look' }
    case 'answered':
      return state.participant === undefined
        ? { ms: STREAM_MS, step: 'give-up' }
        : { ms: HOLD_MS, step: 'person' }
    case 'in-room':
      return lost ? { ms: RETURN_MS, step: 'look' } : undefined
    case 'over':
      return undefined
    default:
      return state satisfies never
  }
}

/** `person`: a machine is ruled out, or detection is off. */
export type DialState =
  /** Requested; the carrier has possibly not responded yet. */
  | { readonly status: 'queued'; readonly person: boolean }
  | { readonly status: 'ringing'; readonly person: boolean }
  /** Answered. Without `participant` the stream is due; with it the participant is in the room, but still muted. */
  | { readonly status: 'answered'; readonly person: boolean; readonly participant?: string }
  | { readonly status: 'in-room'; readonly participant: string }
  | { readonly status: 'over'; readonly end: DialEnd; readonly error?: BridgeError }

/** Final states of a call, named as in Twilio’s Call resource. */
export type FinalStatus = 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled'

export type DialInput =
  | { readonly type: 'ringing' }
  | { readonly type: 'picked-up' }
  /** A media stream of the call was admitted. */
  | { readonly type: 'stream'; readonly participant: string }
  /** Identified as a person, or assumed to be one. */
  | { readonly type: 'person' }
  | { readonly type: 'machine' }
  | { readonly type: 'final'; readonly status: FinalStatus }
  /** We hang up. */
  | { readonly type: 'hang-up' }
  /** Not answered within the ringing time. */
  | { readonly type: 'unanswered' }
  | { readonly type: 'failed'; readonly error: BridgeError }

/** The initial state. `detects`: a machine can be detected. */
export function queued(detects: boolean): DialState {
  return { status: 'queued', person: !detects }
}

/**
 *   queued ──▶ ringing ──▶ answered ──a stream, and a person──▶ in-room
 *      └───────────┴────────────┴──────────────┬───────────────────┘
 *                                              ▼
 *                                            over (final)
 *
 * Callbacks arrive late, twice and in any order. A call never goes back; inputs without news return the same state.
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
      return { status: 'over', end: state.status === 'in-room' ? 'hangup' : 'canceled' }
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
  // The call was in the room, so it was answered and hung up, regardless of the carrier’s status.
  if (state.status === 'in-room') return { status: 'over', end: 'hangup' }
  switch (status) {
    case 'busy':
    case 'no-answer':
      return { status: 'over', end: status }
    case 'canceled':
      return { status: 'over', end: 'canceled' }
    case 'completed':
      // Answered and hung up before anyone could talk.
      return { status: 'over', end: 'no-answer' }
    case 'failed':
      return {
        status: 'over',
        end: 'failed',
        error: new BridgeError('DIAL_FAILED', 'the call failed'),
      }
    default:
      return status satisfies never
  }
}
