import type { BridgeError } from '../../common/errors.ts'
import type { Invitation } from './invitation.ts'

/** A call to place, and the room that the callee joins. */
export interface DialRequest {
  /** E.164 number, or another address that the channel can call. */
  readonly to: string
  /** Caller ID; default: the number of the channel. */
  readonly from?: string
  /** Name of the carrier that places the call; default: selected by `from` and the room. */
  readonly carrier?: string
  /** Room and languages of the callee; passed unchanged to `admit` for each of their streams. */
  readonly invitation: Invitation
  /** Maximum ringing time (s); the channel has a default. */
  readonly ringSeconds?: number
  /** Maximum duration of the call (s). */
  readonly limitSeconds?: number
  /** Name of the API key that requested the call and whose quotas apply. */
  readonly by?: string
  /**
   * Awaited before the call is placed, for limits that cannot be checked at once. If it rejects with a `BridgeError`, the
   * outcome is `failed` with that error.
   */
  readonly clearance?: () => Promise<void>
  /**
   * Called when a leg of the callee has been admitted, possibly before `outcome`: until voicemail is ruled out, the leg is
   * muted. Called again when a failed leg is replaced. Must not throw.
   */
  readonly onJoined?: (participant: string) => void
}

/** Outcome of an outbound call. Only `answered` has a leg in the room. */
export type DialOutcome =
  /** Answered, as far as is known by a person; their leg has been admitted under this id. */
  | { readonly kind: 'answered'; readonly participant: string }
  | { readonly kind: 'busy' }
  | { readonly kind: 'no-answer' }
  /** Voicemail answered, and the call was ended. */
  | { readonly kind: 'voicemail' }
  /** We or the requester hung up before an answer. */
  | { readonly kind: 'canceled' }
  | { readonly kind: 'failed'; readonly error: BridgeError }

/** Final state of an outbound call. `hangup`: it ended after it had been answered. */
export type DialEnd = Exclude<DialOutcome['kind'], 'answered'> | 'hangup'

/** An outbound call. */
export interface OutgoingCall {
  /** Our own id, unique in this process; never a phone number. */
  readonly id: string
  /** Settles once, never rejects. */
  readonly outcome: Promise<DialOutcome>
  /** Settles when the call has ended, after `outcome`; never rejects. `voicemail` can follow `answered`. */
  readonly over: Promise<DialEnd>
  /** Ends the call at any stage. Idempotent; never rejects. */
  hangUp(): Promise<void>
}

/** A channel that can place outbound calls. Owned by its bridge. */
export interface Dialer {
  /**
   * Places a call. Throws `BridgeError` synchronously: `DIAL_REFUSED` if the settings do not allow the destination or
   * outbound calls; `CAPACITY` if too many calls are in progress; `DIAL_QUOTA_EXCEEDED` if a quota is used up. Later failures are
   * reported in `outcome`.
   */
  dial(request: DialRequest): OutgoingCall
}
