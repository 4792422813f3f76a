import type { BridgeError } from './errors.ts'
import type { Invitation } from './invitation.ts'

/** Somebody to be called, and where they will be. */
export interface DialRequest {
  /** E.164, or what else the channel can call. */
  readonly to: string
  /** The number shown to them; default: the channel's own. */
  readonly from?: string
  /** The room and languages of the party once they answer; handed to `admit` as it is, for each of their streams. */
  readonly invitation: Invitation
  /** How long it may ring (s); default of the channel. */
  readonly ringSeconds?: number
  /** The call ends after this long (s), whatever happens. */
  readonly limitSeconds?: number
  /** The name of the key of the API that asked for it, whose ceilings it counts for. */
  readonly by?: string
  /**
   * Told when a leg of theirs has been admitted, which may be before `outcome`: until a machine is ruled out it is not
   * heard. Told again when a broken leg is replaced. Must not throw.
   */
  readonly onJoined?: (participant: string) => void
}

/** How a call that was dialled went on. Only `answered` has a leg in the room. */
export type DialOutcome =
  /** A person, as far as can be told; their leg has been admitted under this id. */
  | { readonly kind: 'answered'; readonly participant: string }
  | { readonly kind: 'busy' }
  | { readonly kind: 'no-answer' }
  /** A machine answered, and was hung up on. */
  | { readonly kind: 'voicemail' }
  /** We, or who asked for it, hung up before an answer. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: BridgeError }

/** How a call that was dialled ended; `hangup`: after it had been answered. */
export type DialEnd = Exclude<DialOutcome['kind'], 'answered'> | 'hangup'

/** A call on its way out. */
export interface OutgoingCall {
  /** Ours, unique in this process; never a telephone number. */
  readonly id: string
  /** Settles once, never rejects. */
  readonly outcome: Promise<DialOutcome>
  /** The call is over for good; settles after `outcome`, never rejects. `voicemail` may follow `answered`. */
  readonly over: Promise<DialEnd>
  /** Ends it at any stage; idempotent, never rejects. */
  hangUp(): Promise<void>
}

/** A channel that can call somebody. Owned by its bridge. */
export interface Dialler {
  /**
   * Throws `BridgeError` at once: `DIAL_REFUSED` when settings do not allow the destination, or at all;
   * `CAPACITY` when too many calls are on their way; `DIAL_SPENT` when as much was called as may be, for now. Whatever the network does later is in `outcome`.
   */
  dial(request: DialRequest): OutgoingCall
}
