import type { NoticeName } from './announcer.ts'

/** What a party is told before they are hung up. */
export type Farewell = Extract<
  NoticeName,
  | 'busy'
  | 'no-answer'
  | 'call-failed'
  | 'voicemail'
  | 'line-full'
  | 'minutes-spent'
  | 'other-left'
  | 'time-up'
>

/** A call between somebody who called in and somebody who is called for them; others may have joined. */
export type CallState =
  /** It goes on from another server: one is there, the other may come. */
  | { readonly status: 'returning' }
  /** The caller waits; the other telephone rings, or is about to. */
  | { readonly status: 'calling' }
  | { readonly status: 'talking' }
  /** Nobody came, and the caller stays: somebody else may join. */
  | { readonly status: 'waiting' }
  /** Those who are left are told why it ends. */
  | { readonly status: 'parting'; readonly farewell: Farewell }
  | { readonly status: 'over' }

/** `present`: how many are there after it. */
export type CallInput =
  /** Whoever was called has picked up, and is a person. */
  | { readonly type: 'answered' }
  | { readonly type: 'unanswered'; readonly why: Farewell; readonly stay: boolean; readonly present: number }
  | { readonly type: 'joined'; readonly present: number }
  /** The other has not come. */
  | { readonly type: 'not-returned'; readonly missing: 'caller' | 'callee' }
  | { readonly type: 'left'; readonly who: 'caller' | 'callee' | 'guest'; readonly present: number }
  /** Whoever was called has turned out to be a machine, and is gone. */
  | { readonly type: 'machine'; readonly present: number }
  | { readonly type: 'time-up' }
  /** The farewell has been heard by all. */
  | { readonly type: 'said' }

const OVER: CallState = { status: 'over' }
const TALKING: CallState = { status: 'talking' }
const WAITING: CallState = { status: 'waiting' }
const CALLING: CallState = { status: 'calling' }

/**
 *   calling ──answered──▶ talking ◀──joined── waiting
 *      ├──unanswered, and the caller stays──────▲
 *      └──unanswered──▶ parting ◀──one is left── talking, waiting
 *   returning ──both are there──▶ talking; ──no callee──▶ calling; ──no caller──▶ parting
 *                          └──said, or nobody is there──▶ over, for good
 *
 * What says nothing new changes nothing: the same state is returned.
 */
export function next(state: CallState, input: CallInput): CallState {
  if (state.status === 'over') return state
  if (state.status === 'parting') return isEnd(input) ? OVER : state
  switch (input.type) {
    case 'answered':
      return state.status === 'calling' ? TALKING : state
    case 'unanswered':
      if (state.status !== 'calling') return state
      if (input.present > 1) return TALKING
      return input.stay ? WAITING : parting(input.why)
    case 'joined':
      return (state.status === 'waiting' || state.status === 'returning') && input.present > 1
        ? TALKING
        : state
    case 'not-returned':
      if (state.status !== 'returning') return state
      return input.missing === 'callee' ? CALLING : parting('other-left')
    case 'left':
      return afterLeaving(state, input.who, input.present)
    case 'machine':
      return state.status === 'talking' && input.present === 1 ? parting('voicemail') : state
    case 'time-up':
      return parting('time-up')
    case 'said':
      return state
    default:
      return input satisfies never
  }
}

function isEnd(input: CallInput): boolean {
  return input.type === 'said' || (input.type === 'left' && input.present === 0)
}

function afterLeaving(state: CallState, who: 'caller' | 'callee' | 'guest', present: number): CallState {
  if (present === 0) return OVER
  // Whether the call is answered is still open, and only the caller waits for that.
  if (state.status === 'calling' && who !== 'caller') return state
  if (state.status === 'returning') return state
  if (present === 1) return parting('other-left')
  return state.status === 'calling' ? TALKING : state
}

function parting(farewell: Farewell): CallState {
  return { status: 'parting', farewell }
}
