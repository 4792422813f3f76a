import { type Clock, setTimer } from '../../../common/clock.ts'
import { BridgeError } from '../../../common/errors.ts'
import type { EndReason } from '../../../common/lifecycle.ts'
import type { Logger } from '../../../common/log.ts'
import type { DialEnd, DialOutcome, DialRequest, OutgoingCall } from '../../../core/model/dialer.ts'
import type { Invitation } from '../../../core/model/invitation.ts'
import type { Leg, LegUplink } from '../../../core/model/leg.ts'
import { SILENT_FRAME } from '../../../transcode/pcm.ts'
import { type CallOrder, type CarrierApi, CarrierError } from '../carrier.ts'
import type { StreamWatch } from '../incoming-call.ts'
import { hangUpCall, placeCall } from './call-requests.ts'
import {
  type Deadline,
  type DialInput,
  type DialState,
  deadlineOf,
  next,
  queued,
} from './outbound-call-state.ts'

/**
 * A leg without audio in either direction until `release`, because a machine could have answered the call, which
 * would record what it hears. Its audio is replaced by silence, so that clocks keep running. Output waits, as for a
 * congested peer, and originals are dropped. Everything else passes through.
 */
class ScreenedLeg implements Leg {
  readonly id: string
  readonly channel: string
  readonly call: string | undefined
  readonly narrowband: boolean
  readonly messageMs: number | undefined
  readonly ended: Promise<EndReason>
  readonly #leg: Leg
  #held = true

  constructor(leg: Leg) {
    this.#leg = leg
    this.id = leg.id
    this.channel = leg.channel
    this.call = leg.call
    this.narrowband = leg.narrowband ?? false
    this.messageMs = leg.messageMs
    this.ended = leg.ended
  }

  /** Connects the participant’s audio in both directions. Idempotent. */
  release(): void {
    this.#held = false
  }

  attach(uplink: LegUplink): void {
    this.#leg.attach({
      write: frame => uplink.write(this.#held ? SILENT_FRAME : frame),
      marked: name => uplink.marked(name),
      dtmf: digit => uplink.dtmf(digit),
    })
  }

  play(frames: Int16Array): void {
    if (!this.#held) this.#leg.play(frames)
  }

  mark(name: string): void {
    if (!this.#held) this.#leg.mark(name)
  }

  flush(): void {
    this.#leg.flush()
  }

  get congested(): boolean {
    return this.#held || this.#leg.congested
  }

  close(reason: EndReason): Promise<void> {
    return this.#leg.close(reason)
  }
}

export interface DialOptions {
  readonly api: CarrierApi
  readonly clock: Clock
  readonly log: Logger
  /** In [0, 1); for the jitter of retries. */
  readonly random: () => number
  /** Releases a call: later requests for it are answered with a hang-up. */
  readonly release: (callId: string) => void
  /**
   * Awaited before the request to the carrier: resolves to the maximum duration of the call (s), or undefined without one. A
   * rejection with `BridgeError` fails the call.
   */
  readonly clear?: (() => Promise<number | undefined>) | undefined
  /** Called when a person or a machine has answered. */
  readonly pickedUp?: () => void
}

/** One outbound call, from the request to its end. The dialer starts it; it ends on its own or by `hangUp`. */
export class OutboundCall implements OutgoingCall, StreamWatch {
  readonly id: string
  readonly request: DialRequest
  readonly outcome: Promise<DialOutcome>
  readonly over: Promise<DialEnd>
  readonly #order: CallOrder
  readonly #options: DialOptions
  readonly #settleOutcome: (outcome: DialOutcome) => void
  readonly #settleOver: (end: DialEnd) => void
  /** Settles when the carrier has answered the request, or refused it. */
  #placed: Promise<void> = Promise.resolve()
  #state: DialState
  #callId: string | undefined
  /** The carrier reported that the call is over or never existed. */
  #final = false
  #leg: Leg | undefined
  #held: ScreenedLeg | undefined
  /** The leg broke and may return. */
  #lost = false
  #handedOver = false
  /** It is unknown whether the call exists. */
  #doubt: CarrierError | undefined
  #timer: Disposable | undefined
  #ending: Promise<void> | undefined

  constructor(id: string, request: DialRequest, order: CallOrder, options: DialOptions) {
    this.id = id
    this.request = request
    this.#order = order
    this.#options = options
    this.#state = queued(order.machineUrl !== undefined)
    const outcome = Promise.withResolvers<DialOutcome>()
    const over = Promise.withResolvers<DialEnd>()
    this.outcome = outcome.promise
    this.over = over.promise
    this.#settleOutcome = outcome.resolve
    this.#settleOver = over.resolve
  }

  /** Places the call. Call it once. */
  start(): void {
    this.#arm()
    this.#placed = this.#place()
  }

  get invitation(): Invitation {
    return this.request.invitation
  }

  get state(): DialState {
    return this.#state
  }

  /** True once no further event of the carrier is expected, not even a late one. */
  get final(): boolean {
    return this.#final
  }

  async hangUp(): Promise<void> {
    this.#apply({ type: 'hang-up' })
    await this.#placed
    await this.#ending
  }

  /** Leaves an answered call to another server. */
  handOver(): void {
    if (this.#state.status !== 'in-room') return
    this.#handedOver = true
    this.#arm()
  }

  /** The carrier requests instructions after an answer. Returns false to hang up. */
  answered(callId: string): boolean {
    if (!this.#named(callId) || this.#state.status === 'over') return false
    this.#apply({ type: 'picked-up' })
    return true
  }

  /** Handles a status from the carrier, which can be late, repeated or out of order. */
  told(callId: string, input: DialInput | undefined): void {
    if (input?.type === 'final' && callId === (this.#callId ?? callId)) this.#final = true
    if (this.#named(callId) && input) this.#apply(input)
  }

  /** Handles a machine detection result. */
  detected(callId: string, input: DialInput | undefined): void {
    if (input && this.#named(callId)) this.#apply(input)
  }

  arriving(leg: Leg): Leg {
    if (this.#state.status === 'in-room' || ('person' in this.#state && this.#state.person)) return leg
    this.#held = new ScreenedLeg(leg)
    return this.#held
  }

  arrived(leg: Leg): void {
    this.#leg = leg
    this.#lost = false
    void leg.ended.then(reason => this.#left(leg, reason))
    this.request.onJoined?.(leg.id)
    this.#apply({ type: 'stream', participant: leg.id })
    this.#arm()
  }

  rejected(error: BridgeError): void {
    this.#apply({ type: 'failed', error })
  }

  async #place(): Promise<void> {
    try {
      const wanted = () => this.#state.status !== 'over'
      const order = this.#options.clear ? await this.#cleared(this.#options.clear) : this.#order
      const callId = order && (await placeCall(order, this.#options, wanted))
      if (callId !== undefined) this.#named(callId)
      else this.#final = true
    } catch (error) {
      const failure = error instanceof CarrierError ? error : CarrierError.noResponse(undefined)
      if (failure.kind === 'unsure') {
        // It can still ring: a callback shows this within seconds, and then it is a regular call.
        this.#doubt = failure
        this.#arm()
      } else {
        this.#final = true
        this.#apply({ type: 'failed', error: failure })
      }
    }
  }

  /** Returns the request to place, or undefined if the call was refused or is no longer wanted. */
  async #cleared(clear: () => Promise<number | undefined>): Promise<CallOrder | undefined> {
    try {
      const limitSeconds = await clear()
      if (this.#state.status === 'over') return undefined
      return limitSeconds === undefined ? this.#order : { ...this.#order, limitSeconds }
    } catch (error) {
      const refused = error instanceof BridgeError ? error : new BridgeError('DIAL_FAILED', String(error))
      this.#apply({ type: 'failed', error: refused })
      return undefined
    }
  }

  /** Records the carrier’s id of the call. Returns false if the call has a different one and is therefore not ours. */
  #named(callId: string): boolean {
    const known = this.#callId
    if (known !== undefined) return known === callId
    this.#callId = callId
    if (this.#state.status === 'over') this.#end(true)
    else this.#arm()
    return true
  }

  #left(leg: Leg, reason: EndReason): void {
    if (leg !== this.#leg) return
    if (reason.kind === 'failed') {
      this.#lost = true
      this.#arm()
    } else if (reason.kind === 'hangup' && reason.by === 'remote') {
      this.#apply({ type: 'final', status: 'completed' })
    } else {
      this.#apply({ type: 'hang-up' })
    }
  }

  #apply(input: DialInput): void {
    const before = this.#state
    const state = next(before, input)
    if (state === before) return
    this.#state = state
    if (state.status !== before.status || state.status === 'answered') this.#arm()
    if (state.status === 'answered' || state.status === 'in-room') this.#options.pickedUp?.()
    if (state.status === 'in-room') {
      this.#held?.release()
      this.#settleOutcome({ kind: 'answered', participant: state.participant })
    }
    if (state.status === 'over') this.#finish(state, input.type !== 'final')
  }

  #finish({ end, error }: DialState & { status: 'over' }, hangUp: boolean): void {
    this.#timer?.[Symbol.dispose]()
    this.#settleOutcome(outcomeOf(end, error))
    this.#settleOver(end)
    const about = { dial: this.id, callId: this.#callId, end }
    if (error)
      this.#options.log.warn({ ...about, code: error.code, error: error.message }, 'outbound call failed')
    else this.#options.log.info(about, 'outbound call ended')
    this.#end(hangUp)
  }

  /** Cleans up the call. */
  #end(hangUp: boolean): void {
    const callId = this.#callId
    if (callId === undefined || this.#handedOver) return
    this.#options.release(callId)
    void this.#leg?.close({ kind: 'hangup', by: 'local' })
    if (hangUp && !this.#final) this.#ending ??= hangUpCall(callId, this.id, this.#options)
  }

  #arm(): void {
    this.#timer?.[Symbol.dispose]()
    if (this.#handedOver) return
    const deadline = deadlineOf(this.#state, {
      ringSeconds: this.#order.ringSeconds,
      lost: this.#lost,
      doubtful: this.#doubt !== undefined && this.#callId === undefined,
    })
    if (!deadline) return
    this.#timer = setTimer(this.#options.clock, deadline.ms, () => this.#late(deadline.step))
  }

  #late(step: Deadline['step']): void {
    if (step === 'person') this.#apply({ type: 'person' })
    else if (step === 'look') void this.#look()
    else this.#apply({ type: 'failed', error: this.#doubt ?? noStream() })
  }

  /** A callback is overdue: queries the status, and ends the call if it has not changed. */
  async #look(): Promise<void> {
    const before = this.#state
    if (this.#callId !== undefined) {
      try {
        this.told(this.#callId, await this.#options.api.status(this.#callId))
      } catch {
        // Without a response, the current state applies.
      }
    }
    if (this.#state === before) this.#apply({ type: 'unanswered' })
  }
}

function noStream(): BridgeError {
  return new BridgeError('DIAL_FAILED', 'the call was answered, but no media stream arrived')
}

function outcomeOf(end: DialEnd, error: BridgeError | undefined): DialOutcome {
  switch (end) {
    case 'failed':
      return { kind: 'failed', error: error ?? new BridgeError('DIAL_FAILED', 'the call failed') }
    case 'hangup':
      return { kind: 'canceled' }
    default:
      return { kind: end }
  }
}
