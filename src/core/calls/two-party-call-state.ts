import type { NoticeName } from '../model/announcer.ts'

/** Notices that end a call. */
export type EndNotice = Extract<
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

/** A call between a caller and a callee; others can join. */
export type TwoPartyCallState =
  /** Continues from another server: one participant is connected, the other is expected. */
  | { readonly status: 'returning' }
  /** The caller waits; the callee's phone rings, or is about to. */
  | { readonly status: 'calling' }
  | { readonly status: 'talking' }
  /** The call was not answered, and the caller stays; others can join. */
  | { readonly status: 'waiting' }
  /** The remaining participants hear the reason for the end. */
  | { readonly status: 'parting'; readonly farewell: EndNotice }
  | { readonly status: 'over' }

/** `present`: the number of participants afterwards. */
export type CallInput =
  /** The callee has answered, and is a person. */
  | { readonly type: 'answered' }
  | { readonly type: 'unanswered'; readonly why: EndNotice; readonly stay: boolean; readonly present: number }
  | { readonly type: 'joined'; readonly present: number }
  /** The other participant did not arrive. */
  | { readonly type: 'not-returned'; readonly missing: 'caller' | 'callee' }
  | { readonly type: 'left'; readonly who: 'caller' | 'callee' | 'guest'; readonly present: number }
  /** The callee was a machine, and is disconnected. */
  | { readonly type: 'machine'; readonly present: number }
  | { readonly type: 'time-up' }
  /** The farewell was played to everyone. */
  | { readonly type: 'said' }

const OVER: TwoPartyCallState = { status: 'over' }
const TALKING: TwoPartyCallState = { status: 'talking' }
const WAITING: TwoPartyCallState = { status: 'waiting' }
const CALLING: TwoPartyCallState = { status: 'calling' }

/**
 *   calling ──answered──▶ talking ◀──joined── waiting
 *      ├──unanswered, and the caller stays──────▲
 *      └──unanswered──▶ parting ◀──one remains── talking, waiting
 *   returning ──both present──▶ talking; ──no callee──▶ calling; ──no caller──▶ parting
 *                          └──said, or no one present──▶ over
 *
 * An input without effect returns the same state.
 */
export function next(state: TwoPartyCallState, input: CallInput): TwoPartyCallState {
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

function afterLeaving(
  state: TwoPartyCallState,
  who: 'caller' | 'callee' | 'guest',
  present: number,
): TwoPartyCallState {
  if (present === 0) return OVER
  // Only the caller waits for the answer, which is still pending.
  if (state.status === 'calling' && who !== 'caller') return state
  if (state.status === 'returning') return state
  if (present === 1) return parting('other-left')
  return state.status === 'calling' ? TALKING : state
}

function parting(farewell: EndNotice): TwoPartyCallState {
  return { status: 'parting', farewell }
}
