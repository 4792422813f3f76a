import type { WebSocket } from 'ws'
import { type Clock, Ticker } from '../../core/clock.ts'
import { BridgeError } from '../../core/errors.ts'
import type { Admission } from '../../core/invitation.ts'
import type { Log } from '../../core/log.ts'
import type { Call } from './call.ts'
import type { Calls } from './calls.ts'
import type { CloseCause } from './close-codes.ts'
import { LegCounters } from './counters.ts'
import { type LegTerms, TwilioLeg } from './leg.ts'
import type { TwilioLimits } from './limits.ts'
import { StreamSocket } from './stream-socket.ts'
import type { StreamTokens } from './stream-tokens.ts'
import type { Start } from './wire.ts'

/** How often quiet streams are looked after (ms). */
const WATCH_MS = 200

export interface MediaTerms {
  readonly relay: Admission
  readonly calls: Calls
  readonly tokens: StreamTokens
  readonly clock: Clock
  readonly log: Log
  readonly limits: TwilioLimits
  /** Whether the call goes on, whose stream was stopped. Absent: nobody can be asked. Must not reject. */
  readonly lives?: ((callSid: string) => Promise<boolean>) | undefined
  /** Calls that were placed from here are for another server from now on. */
  readonly letGo?: (() => void) | undefined
}

/** The media sockets of all calls: makes legs of those that may, and hands them to the relay. */
export class Media {
  readonly #terms: MediaTerms
  readonly #legs = new Set<TwilioLeg>()
  readonly #sockets = new Set<StreamSocket>()
  readonly #endedCounters = new LegCounters()
  readonly #refused = new Map<CloseCause, number>()
  readonly #legTerms: LegTerms
  #ticker: Ticker | undefined
  #ids = 0

  constructor(terms: MediaTerms) {
    this.#terms = terms
    this.#legTerms = {
      ...terms,
      check: start => this.#check(start),
      refused: cause => this.#refused.set(cause, (this.#refused.get(cause) ?? 0) + 1),
      nextId: () => `twilio-${++this.#ids}`,
    }
  }

  /** The streams of this moment. */
  get legs(): ReadonlySet<TwilioLeg> {
    return this.#legs
  }

  /** Streams that were turned away before they became legs, by cause. */
  get refused(): ReadonlyMap<CloseCause, number> {
    return this.#refused
  }

  /** Streams that took the place of one that was there. */
  get replaced(): number {
    return this.#terms.calls.replaced
  }

  /** Requests that were told to wait, since their call has a stream: repeated, replayed, or overtaken. */
  get heldOff(): number {
    return this.#terms.calls.heldOff
  }

  /** The sums of all legs, ended and live. */
  counters(): LegCounters {
    const sum = new LegCounters()
    sum.add(this.#endedCounters)
    for (const leg of this.#legs) sum.add(leg.counters)
    return sum
  }

  /** Calls whose stream is due. */
  get expected(): number {
    return this.#terms.calls.expected
  }

  /** Whether a call that was let in is there, or about to come, or may come back. */
  goesOn(callSid: string): boolean {
    return this.#terms.calls.goesOn(callSid)
  }

  /** Lets go of all streams, so that their calls resume at another server; settles when they were sent there, or do not ask. */
  async handOver(): Promise<void> {
    const { calls, log } = this.#terms
    const handed: string[] = []
    this.#terms.letGo?.()
    // Before the first stream closes: Twilio asks at once.
    for (const leg of this.#legs) if (!leg.stopped) handed.push(leg.callSid)
    const sent = calls.leave(handed)
    for (const leg of this.#legs) leg.handOver()
    if (handed.length > 0) log.info({ calls: handed.length }, 'handed over')
    await sent
  }

  /** Takes a socket whose upgrade was let pass. Synchronous: its first messages may be there already. */
  accept(webSocket: WebSocket): void {
    const { clock, limits } = this.#terms
    const socket = new StreamSocket(webSocket, { clock, limits, counters: new LegCounters() })
    this.#sockets.add(socket)
    webSocket.once('close', () => this.#sockets.delete(socket))
    TwilioLeg.answer(socket, this.#legTerms, leg => this.#handOver(leg))
  }

  /** Ends all sockets, also those that are not legs yet, and waits for them. */
  async close(): Promise<void> {
    for (const leg of this.#legs) void leg.close({ kind: 'parent-closed' })
    await Promise.all(Array.from(this.#sockets, socket => socket.close('going-away')))
  }

  #check(start: Start): CloseCause | undefined {
    const { calls, tokens, clock } = this.#terms
    const { token } = start.parameters
    const round = tokens.roundOf(token)
    if (round === undefined || tokens.redeem(token, start.callSid) !== 'ok') return 'unauthorized'
    const call = calls.get(start.callSid)
    if (!call || call.state.status === 'over' || call.state.status === 'stopped') return 'call-ended'
    call.arrives(round)
    if (start.encoding === 'audio/x-mulaw' && start.rate === 8000 && start.channels === 1) return undefined
    // The next stream would be no better, so the call is not resumed.
    if (call.state.status !== 'live') call.end(clock.now(), true)
    return 'media-format'
  }

  #handOver(leg: TwilioLeg): void {
    const { calls, clock, relay, log } = this.#terms
    const call = calls.get(leg.callSid)!
    const before = call.state
    call.began(leg, clock.now())
    if (before.status === 'live') {
      calls.replaced++
      void before.leg.close({ kind: 'replaced' })
    }
    this.#own(leg, call)
    log.info(
      { legId: leg.id, callSid: leg.callSid, streamSid: leg.streamSid, room: call.invitation.room },
      'stream started',
    )
    try {
      relay.admit(call.watch?.arriving(leg) ?? leg, call.invitation)
      call.watch?.arrived(leg)
    } catch (error) {
      const reason = this.#drop(leg, error)
      call.watch?.turnedAway(reason)
    }
  }

  #own(leg: TwilioLeg, call: Call): void {
    this.#legs.add(leg)
    this.#ticker ??= new Ticker(this.#terms.clock, WATCH_MS, now => this.#watch(now))
    void leg.ended.then(reason => {
      call.left(leg, reason, this.#terms.clock.now())
      this.#legs.delete(leg)
      this.#endedCounters.add(leg.counters)
      if (this.#legs.size > 0) return
      this.#ticker?.[Symbol.dispose]()
      this.#ticker = undefined
    })
  }

  #watch(now: number): void {
    for (const leg of this.#legs) {
      try {
        leg.watch(now)
      } catch (error) {
        this.#drop(leg, error)
      }
    }
  }

  /** Ends one leg for what was thrown around it: a `BridgeError` is an answer, anything else a fault of ours. */
  #drop(leg: TwilioLeg, cause: unknown): BridgeError {
    if (!(cause instanceof BridgeError)) leg.fault('internal', cause)
    const error =
      cause instanceof BridgeError ? cause : new BridgeError('LEG_LOST', 'failed inside', { cause })
    void leg.close({ kind: 'failed', error })
    return error
  }
}
