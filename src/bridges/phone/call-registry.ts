import { BoundedMap } from '../../common/bounded-map.ts'
import { type Clock, setTimer } from '../../common/clock.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { Invitation } from '../../core/model/invitation.ts'
import { REPEATED_MS } from './history/call-history.ts'
import type { StreamWatch } from './incoming-call.ts'
import type { PhoneLeg } from './leg/phone-leg.ts'
import type { StreamLimits } from './limits.ts'

/** Amount of media that proves a stream works (5 s). */
const WORKING_MEDIA = 250

/**
 *   expected ──stream──▶ live ──lost, or stop and a webhook of a call in progress──▶ expected (resumes)
 *      │                  ├──stop──▶ stopped ──webhook of a call in progress──▶ expected
 *      └────over──────────┴──over──▶ over (final)
 */
export type CarrierCallState =
  /** Instructions were sent; a stream is due. */
  | { readonly status: 'expected' }
  | { readonly status: 'live'; readonly leg: PhoneLeg }
  /** The carrier stopped the stream: the participant hung up, or the call received other instructions and may return. */
  | { readonly status: 'stopped' }
  /** The call has ended or was released; later requests for it are answered with a hang-up. */
  | { readonly status: 'over'; readonly sorry: boolean }

/** Conditions under which a call is admitted. */
export interface AdmittedCall {
  readonly invitation: Invitation
  readonly watch?: StreamWatch
  /** Called from here, or by a server that has ended. */
  readonly callee?: boolean
  /** Resumptions used before this server knew the call. */
  readonly resumes?: number
  /** Its last known attempt. */
  readonly attempt?: number
  /** Time of its first admission, at any server (s since 1970). */
  readonly beganAt?: number | undefined
}

/** An admitted phone call, across all its streams. */
export class Call {
  readonly callId: string
  readonly invitation: Invitation
  /** The originator of the call, if it was placed from here. */
  readonly watch: StreamWatch | undefined
  readonly callee: boolean
  /** Time of its first admission, at any server (s since 1970); undefined if that is unknown. */
  readonly beganAt: number | undefined
  /** Resumptions since a stream last worked. */
  #resumes: number
  /** Number of instructions sent with a new token; each is one attempt. */
  #attempt: number
  /** Round of the latest stream. */
  #streamAttempt = 0
  #streamed = false
  readonly #admittedAt: number
  /** Time of the last change of `state` (clock ms). */
  changedAt: number
  readonly #onOver: () => void
  #state: CarrierCallState = { status: 'expected' }

  constructor(
    callId: string,
    { invitation, watch, callee = false, resumes = 0, attempt = 0, beganAt }: AdmittedCall,
    now: number,
    onOver: () => void,
  ) {
    this.#onOver = onOver
    this.callId = callId
    this.invitation = invitation
    this.watch = watch
    this.callee = callee
    this.beganAt = beganAt
    this.changedAt = now
    this.#admittedAt = now
    this.#resumes = resumes
    this.#attempt = attempt
  }

  get state(): CarrierCallState {
    return this.#state
  }

  get resumes(): number {
    const worked = this.#state.status === 'live' && this.#state.leg.counters.mediaIn >= WORKING_MEDIA
    return worked ? 0 : this.#resumes
  }

  /** The latest attempt. */
  get attempt(): number {
    return this.#attempt
  }

  /** The carrier stopped its stream, and no other has followed. */
  get stopped(): boolean {
    return this.#state.status === 'stopped' || (this.#state.status === 'live' && this.#state.leg.stopped)
  }

  /** It has a stream that was not stopped. */
  get streaming(): boolean {
    return this.#state.status === 'live' && !this.#state.leg.stopped
  }

  /** Returns true if the request that began the call cannot be repeated any more at `now`: it never had a stream. */
  unheard(now: number): boolean {
    return !this.#streamed && now - this.#admittedAt > REPEATED_MS
  }

  /** Returns true if `attempt` is outdated, because a stream of a later attempt is connected. */
  overtaken(attempt: number): boolean {
    return this.streaming && this.#streamAttempt > attempt
  }

  /** Returns the number of a new attempt, for instructions that open another stream. */
  nextAttempt(): number {
    return ++this.#attempt
  }

  /** Records that the stream of `attempt` is about to start. */
  arrives(attempt: number): void {
    this.#streamAttempt = attempt
  }

  /** Records that its stream has started. */
  began(leg: PhoneLeg, now: number): void {
    this.#streamed = true
    this.#become({ status: 'live', leg }, now)
  }

  /** Records that `leg` has ended; does nothing if another leg has replaced it. */
  left(leg: PhoneLeg, reason: EndReason, now: number): void {
    if (leg.counters.mediaIn >= WORKING_MEDIA) this.#resumes = 0
    if (this.#state.status !== 'live' || this.#state.leg !== leg) return
    if (reason.kind === 'hangup' && reason.by === 'local') this.#onOver()
    this.#become(afterLeg(reason), now)
  }

  /**
   * Records that the carrier asks how to continue without the stream, possibly before we notice that it is gone. Returns
   * the number of such requests since a stream last worked.
   */
  resumed(now: number): number {
    this.#resumes = this.resumes
    this.reopen(now)
    return ++this.#resumes
  }

  /** Reopens a stopped call after a signed webhook has shown that it continues. */
  reopen(now: number): void {
    if (!this.stopped) return
    if (this.#state.status === 'live') this.#state.leg.callContinues()
    this.#become({ status: 'expected' }, now)
  }

  /** Ends the call; with `sorry`, a participant still on the line hears an apology. */
  end(now: number, sorry = false): void {
    this.#onOver()
    if (this.#state.status !== 'over') this.#become({ status: 'over', sorry }, now)
  }

  #become(state: CarrierCallState, now: number): void {
    this.#state = state
    this.changedAt = now
  }
}

function afterLeg(reason: EndReason): CarrierCallState {
  if (reason.kind === 'failed' || reason.kind === 'replaced') return { status: 'expected' }
  if (reason.kind === 'hangup' && reason.by === 'remote') return { status: 'stopped' }
  return { status: 'over', sorry: false }
}

/** Maximum number of forgotten calls whose resumptions are known. */
const MOST_FORGOTTEN = 10_000
/** Minimum interval between clean-ups (ms). */
const SWEEP_MS = 10_000

/** Time to wait for the stream after sending instructions (ms); Twilio opens it at once. */
const EXPECTED_MS = 10_000
/** Time in which handed-over calls request instructions, if at all (ms). */
const HANDED_OVER_MS = 2_000

/** The admitted calls: streaming, about to stream, or ended recently. */
export class CallRegistry {
  readonly #clock: Clock
  readonly #limits: StreamLimits
  readonly #calls = new Map<string, Call>()
  /** Streams that replaced another stream of their call. */
  replaced = 0
  /** Requests deferred because the call already has a stream: repeated, replayed or outdated. */
  deferred = 0
  /** Resumptions of calls that continue at other nodes. */
  readonly #forgotten = new BoundedMap<string, number>(MOST_FORGOTTEN)
  #sweptAt: number
  readonly #onOver: (callId: string) => void
  #leaving = false
  /** Calls that were handed over and have not requested instructions since. */
  #awaited: { readonly left: Set<string>; readonly done: () => void } | undefined

  /** `onOver` is called at least once for each call that cannot return to any server. */
  constructor(clock: Clock, limits: StreamLimits, onOver: (callId: string) => void = () => {}) {
    this.#onOver = onOver
    this.#clock = clock
    this.#limits = limits
    this.#sweptAt = clock.now()
  }

  get size(): number {
    return this.#calls.size
  }

  /** Number of calls whose stream is due. */
  get expected(): number {
    const now = this.#clock.now()
    let count = 0
    for (const { state, changedAt } of this.#calls.values())
      if (state.status === 'expected' && now - changedAt < EXPECTED_MS) count++
    return count
  }

  /** Returns true if an admitted call is connected, about to connect, or may return. */
  isInProgress(callId: string): boolean {
    const call = this.#calls.get(callId)
    if (!call || call.state.status === 'over') return false
    return call.state.status === 'live' || this.#clock.now() - call.changedAt < EXPECTED_MS
  }

  /** The server hands over its calls: all their requests are redirected. */
  get leaving(): boolean {
    return this.#leaving
  }

  /** Redirects all calls from now on; resolves when those in `callIds` were redirected, or after a timeout. */
  leave(callIds: Iterable<string>): Promise<void> {
    this.#leaving = true
    return this.#await(callIds)
  }

  /** Forgets calls that continue at another node; resolves when they were sent there, or after a timeout. */
  forget(callIds: readonly string[]): Promise<void> {
    for (const callId of callIds) {
      // It continues because of us, so this does not count as a failure of its stream.
      this.#forgotten.set(callId, Math.max(1, this.#calls.get(callId)?.resumes ?? 1))
      this.#calls.delete(callId)
    }
    return this.#await(callIds)
  }

  /** Returns the resumptions of a call that was forgotten here; undefined for any other. */
  resumesOfForgotten(callId: string): number | undefined {
    return this.#forgotten.get(callId)
  }

  /** Records that `callId` was sent to another server. */
  sentOn(callId: string): void {
    const awaited = this.#awaited
    if (awaited?.left.delete(callId) && awaited.left.size === 0) awaited.done()
  }

  async #await(callIds: Iterable<string>): Promise<void> {
    const left = new Set(callIds)
    if (left.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#awaited = { left, done: resolve }
    const late = setTimer(this.#clock, HANDED_OVER_MS, resolve)
    await promise
    late[Symbol.dispose]()
  }

  get(callId: string): Call | undefined {
    return this.#calls.get(callId)
  }

  /** Returns whether a call in `room` is connected, about to connect, or may return. */
  isExpectedIn(room: string): boolean {
    for (const [callId, { invitation }] of this.#calls)
      if (invitation.room === room && this.isInProgress(callId)) return true
    return false
  }

  /** The calls in `rooms` that are not over. */
  within(rooms: ReadonlySet<string>): Call[] {
    return Array.from(this.#calls.values()).filter(
      ({ state, invitation }) => state.status !== 'over' && rooms.has(invitation.room),
    )
  }

  /** Admits a call; returns undefined if there are too many. */
  add(callId: string, admittance: AdmittedCall): Call | undefined {
    const now = this.#clock.now()
    if (now - this.#sweptAt >= SWEEP_MS || this.#calls.size >= this.#limits.maxCalls) this.#sweep(now)
    if (this.#calls.size >= this.#limits.maxCalls) return undefined
    const call = new Call(callId, admittance, now, () => this.#onOver(callId))
    this.#calls.set(callId, call)
    return call
  }

  #sweep(now: number): void {
    this.#sweptAt = now
    for (const [callId, call] of this.#calls)
      if (call.state.status !== 'live' && now - call.changedAt > this.#limits.rememberMs) {
        this.#calls.delete(callId)
        this.#onOver(callId)
      }
  }
}
