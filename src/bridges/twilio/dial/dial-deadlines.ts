import type { DialState } from './dial-state.ts'

/** Twilio may queue a call before it rings, at one a second for each account (s). */
const QUEUE_SECONDS = 45
/** Twilio adds up to 5 s to the time a call may ring, and callbacks take their time (s). */
const RING_MARGIN_SECONDS = 15
/** From a pick-up to the first stream (ms). */
const STREAM_MS = 15_000
/** Who is no machine by then is taken for a person (ms). */
const HOLD_MS = 4_000
/** A stream that broke may come back within this time (ms). */
const RETURN_MS = 30_000
/** A call of which nobody knows whether it was placed shows by then (ms). */
const DOUBT_MS = 5_000

/** What else decides how long a state may last. */
export interface DialCircumstances {
  readonly ringSeconds: number
  /** The stream broke. */
  readonly lost: boolean
  /** It is not known whether the call was placed. */
  readonly doubtful: boolean
}

export interface Deadline {
  readonly ms: number
  /** `look`: ask Twilio how it is, as callbacks get lost. */
  readonly step: 'give-up' | 'person' | 'look'
}

/** How long `state` may last, and what is done then; undefined for as long as it likes. */
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
