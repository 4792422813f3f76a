import { BridgeError } from '../../common/errors.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { SessionState } from '../model/events.ts'

/** A connection that lived shorter than this does not reset the attempt counter. */
const SETTLED_MS = 2_000

export type SessionInput =
  /** The speaker speaks. */
  | { type: 'wake'; at: number }
  | { type: 'ready'; at: number }
  | { type: 'dropped'; at: number; waitMs: number }
  | { type: 'retry'; at: number }
  /** The service has no free place. */
  | { type: 'full' }
  /** Another connection has replaced the live one. */
  | { type: 'renewed'; at: number }
  /** The speaker is silent: the session needs no connection. */
  | { type: 'rest' }
  | { type: 'end'; reason: EndReason }

/** Returns the number of the attempt that follows if `state` is dropped at `at` (ms). */
export function nextAttempt(state: SessionState, at: number): number {
  if (state.status === 'live') return at - state.since >= SETTLED_MS ? 1 : state.attempt + 1
  if (state.status === 'queued') return 2
  return state.status === 'opening' ? state.attempt + 1 : 1
}

/**
 *   idle ──wake──▶ opening ──ready──▶ live       opening ──full──▶ queued ──ready──▶ live
 *                    ▲  └───dropped──┐  │                            └───dropped──▶ waiting
 *                  retry             ▼  ▼ dropped
 *                    └───────────── waiting    any ──rest──▶ idle    any ──end──▶ ended    live ──renewed──▶ live
 *
 * `since` of opening, queued and waiting is when the session was last live (or the speaker spoke): the start of the outage.
 */
export function next(state: SessionState, input: SessionInput): SessionState {
  if (state.status === 'ended') return state
  if (input.type === 'end') return { status: 'ended', reason: input.reason }
  if (input.type === 'rest' && state.status !== 'idle') return { status: 'idle' }
  switch (state.status) {
    case 'idle':
      if (input.type === 'wake') return { status: 'opening', attempt: 1, since: input.at }
      break
    case 'queued':
    case 'opening':
      if (input.type === 'full') return { status: 'queued', since: state.since }
      if (input.type === 'ready')
        return { status: 'live', attempt: state.status === 'queued' ? 1 : state.attempt, since: input.at }
      if (input.type === 'dropped')
        return {
          status: 'waiting',
          attempt: nextAttempt(state, input.at),
          until: input.at + input.waitMs,
          since: state.since,
        }
      break
    case 'live':
      if (input.type === 'dropped')
        return {
          status: 'waiting',
          attempt: nextAttempt(state, input.at),
          until: input.at + input.waitMs,
          since: input.at,
        }
      if (input.type === 'renewed') return { status: 'live', attempt: 1, since: input.at }
      break
    case 'waiting':
      if (input.type === 'retry') return { status: 'opening', attempt: state.attempt, since: state.since }
      break
  }
  throw new BridgeError('STATE', `invalid session input ${input.type} while ${state.status}`)
}
