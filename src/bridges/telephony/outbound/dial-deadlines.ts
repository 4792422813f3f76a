import type { DialState } from './dial-state.ts'

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
  /** `look`: query Twilio for the status, since callbacks can get lost. */
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
