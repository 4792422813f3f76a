import type { EndReason } from '../../core/errors.ts'
import type { Invitation } from '../../core/invitation.ts'
import type { TwilioLeg } from './leg.ts'
import type { StreamWatch } from './stream-watch.ts'

/** So much media shows that a stream works (5 s). */
const WORKING_MEDIA = 250

/**
 *   expected ──stream──▶ live ──lost, or stop and a webhook of a call in progress──▶ expected (resumes)
 *      │                  ├──stop──▶ stopped ──webhook of a call in progress──▶ expected
 *      └────over──────────┴──over──▶ over, for good
 */
export type CallState =
  /** TwiML was given; a stream is due. */
  | { readonly status: 'expected' }
  | { readonly status: 'live'; readonly leg: TwilioLeg }
  /** Twilio stopped the stream: the party hung up, or the call was given other TwiML and may come back. */
  | { readonly status: 'stopped' }
  /** The call has ended, or we let go of it; whoever asks for it is told to hang up. */
  | { readonly status: 'over'; readonly sorry: boolean }

/** On what terms a call is let in. */
export interface Admittance {
  readonly invitation: Invitation
  readonly watch?: StreamWatch
  /** They were called from here, or by a server that is gone. */
  readonly guest?: boolean
  /** Resumptions it had used up before this server knew of it. */
  readonly resumes?: number
  /** The last round of it that is known of. */
  readonly round?: number
}

/** A telephone call that was let in, across all streams it may have. */
export class Call {
  readonly callSid: string
  readonly invitation: Invitation
  /** Whoever placed the call, if it was placed from here. */
  readonly watch: StreamWatch | undefined
  readonly guest: boolean
  /** Resumptions since a stream last worked. */
  #resumes: number
  /** TwiML with a token of its own that was given; each is one round. */
  #round: number
  /** That of the stream that came last. */
  #streamRound = 0
  /** When `state` last changed (ms of the clock). */
  changedAt: number
  #state: CallState = { status: 'expected' }

  constructor(
    callSid: string,
    { invitation, watch, guest = false, resumes = 0, round = 0 }: Admittance,
    now: number,
  ) {
    this.callSid = callSid
    this.invitation = invitation
    this.watch = watch
    this.guest = guest
    this.changedAt = now
    this.#resumes = resumes
    this.#round = round
  }

  get state(): CallState {
    return this.#state
  }

  get resumes(): number {
    return this.#resumes
  }

  /** The round that was begun last. */
  get round(): number {
    return this.#round
  }

  /** Its stream was stopped by Twilio, and no other has come. */
  get stopped(): boolean {
    return this.#state.status === 'stopped' || (this.#state.status === 'live' && this.#state.leg.stopped)
  }

  /** A stream is there that was not stopped. */
  get streaming(): boolean {
    return this.#state.status === 'live' && !this.#state.leg.stopped
  }

  /** Whoever follows the TwiML of `round` has been overtaken: a stream of a later one is there. */
  overtaken(round: number): boolean {
    return this.streaming && this.#streamRound > round
  }

  /** TwiML is given that opens another stream: the number of its round. */
  nextRound(): number {
    return ++this.#round
  }

  /** The stream of `round` is about to begin. */
  arrives(round: number): void {
    this.#streamRound = round
  }

  /** Its stream has come. */
  began(leg: TwilioLeg, now: number): void {
    this.#become({ status: 'live', leg }, now)
  }

  /** `leg` has ended; nothing happens if another has taken its place. */
  left(leg: TwilioLeg, reason: EndReason, now: number): void {
    if (leg.counters.mediaIn >= WORKING_MEDIA) this.#resumes = 0
    if (this.#state.status !== 'live' || this.#state.leg !== leg) return
    this.#become(afterLeg(reason), now)
  }

  /**
   * Twilio asks how to go on without the stream, which may be before we have noticed that it is gone. Returns how often
   * it has asked since a stream last worked.
   */
  resumed(now: number): number {
    if (this.#state.status === 'live' && this.#state.leg.counters.mediaIn >= WORKING_MEDIA) this.#resumes = 0
    this.reopen(now)
    return ++this.#resumes
  }

  /** A signed webhook shows that a stopped call goes on. */
  reopen(now: number): void {
    if (!this.stopped) return
    if (this.#state.status === 'live') this.#state.leg.goesOn()
    this.#become({ status: 'expected' }, now)
  }

  /** There is no more to come; with `sorry` the party is told so should it still be there. */
  end(now: number, sorry = false): void {
    if (this.#state.status !== 'over') this.#become({ status: 'over', sorry }, now)
  }

  #become(state: CallState, now: number): void {
    this.#state = state
    this.changedAt = now
  }
}

function afterLeg(reason: EndReason): CallState {
  if (reason.kind === 'failed' || reason.kind === 'replaced') return { status: 'expected' }
  if (reason.kind === 'hangup' && reason.by === 'remote') return { status: 'stopped' }
  return { status: 'over', sorry: false }
}
