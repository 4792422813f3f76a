import { type Clock, Ticker } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import type { Logger } from '../../common/log.ts'
import type { Admission } from '../../core/model/invitation.ts'
import type { LegTransport } from '../websocket/guarded-socket.ts'
import type { Call, CallRegistry } from './call-registry.ts'
import type { MediaDialect, Start } from './carrier.ts'
import type { CallHistory } from './history/call-history.ts'
import type { CloseCause } from './leg/close-codes.ts'
import { LegCounters } from './leg/leg-counters.ts'
import { PhoneLeg, type PhoneLegOptions, type StreamSocket } from './leg/phone-leg.ts'
import type { StreamLimits } from './limits.ts'
import type { StreamTokens } from './stream-tokens.ts'

/** Interval between checks of quiet streams (ms). */
const WATCH_MS = 200
/** Interval at which audio is sent to carriers without a queue (ms). */
const PACE_MS = 20

export interface MediaOptions {
  /** Name of the carrier: the legs’ channel. */
  readonly carrier: string
  /** The IDs of its legs start with this: unique in a fleet. */
  readonly ids: string
  readonly media: MediaDialect
  readonly relay: Admission
  readonly calls: CallRegistry
  readonly history: Pick<CallHistory, 'started'>
  readonly tokens: StreamTokens
  readonly clock: Clock
  readonly log: Logger
  readonly limits: StreamLimits
  /** Returns whether the call of a stopped stream continues. Absent: it cannot be checked. Must not reject. */
  readonly continues?: ((callId: string) => Promise<boolean>) | undefined
  /** Leaves outbound calls to another server: all, or those in `rooms`. */
  readonly handOverDials?: ((rooms?: ReadonlySet<string>) => void) | undefined
}

/** The media sockets of all calls. Creates legs for accepted streams and passes them to the relay. */
export class MediaStreams {
  readonly #options: MediaOptions
  readonly #legs = new Set<PhoneLeg>()
  readonly #sockets = new Set<StreamSocket>()
  readonly #endedCounters = new LegCounters()
  readonly #refused = new Map<CloseCause, number>()
  readonly #legOptions: PhoneLegOptions
  #ticker: Ticker | undefined
  #pacing: Ticker | undefined
  #ids = 0

  constructor(options: MediaOptions) {
    this.#options = options
    this.#legOptions = {
      ...options,
      check: start => this.#check(start),
      refused: cause => this.#refused.set(cause, (this.#refused.get(cause) ?? 0) + 1),
      nextId: () => `${options.ids}-${++this.#ids}`,
    }
  }

  /** Name of the carrier. */
  get carrier(): string {
    return this.#options.carrier
  }

  /** Current streams. */
  get legs(): ReadonlySet<PhoneLeg> {
    return this.#legs
  }

  /** Streams rejected before they became legs, by cause. */
  get refused(): ReadonlyMap<CloseCause, number> {
    return this.#refused
  }

  /** Streams that replaced another stream of their call. */
  get replaced(): number {
    return this.#options.calls.replaced
  }

  /** Requests deferred because their call already has a stream: repeated, replayed or outdated. */
  get deferred(): number {
    return this.#options.calls.deferred
  }

  /** Totals of all legs, ended and current. */
  counters(): LegCounters {
    const sum = new LegCounters()
    sum.add(this.#endedCounters)
    for (const leg of this.#legs) sum.add(leg.counters)
    return sum
  }

  /** Number of calls whose stream is due. */
  get expected(): number {
    return this.#options.calls.expected
  }

  /** Returns true if an admitted call is connected, about to connect, or may return. */
  isInProgress(callId: string): boolean {
    return this.#options.calls.isInProgress(callId)
  }

  /**
   * Releases all streams, so that their calls resume on another server. Resolves when they were redirected, or after
   * a timeout.
   */
  async handOver(): Promise<void> {
    const { calls, log } = this.#options
    const handed: string[] = []
    this.#options.handOverDials?.()
    // Before the first stream closes: the carrier sends its request at once.
    for (const leg of this.#legs) if (!leg.stopped) handed.push(leg.callId)
    const sent = calls.leave(handed)
    for (const leg of this.#legs) leg.handOver()
    if (handed.length > 0) log.info({ calls: handed.length }, 'calls handed over')
    await sent
  }

  /**
   * Releases the calls in `rooms`, whose home is another node now: their streams close, and the carrier’s next request
   * for each is sent there. Resolves when that has happened, or after a timeout.
   */
  async releaseRooms(rooms: ReadonlySet<string>): Promise<void> {
    const { calls, log } = this.#options
    const released = calls.within(rooms)
    if (released.length === 0) return
    this.#options.handOverDials?.(rooms)
    // Before the first stream closes: the carrier sends its request at once.
    const sent = calls.forget(released.map(({ callId }) => callId))
    for (const { state } of released) if (state.status === 'live') state.leg.leave()
    log.info({ calls: released.length, rooms: rooms.size }, 'calls released to other nodes')
    await sent
  }

  /** Returns whether a call in `room` is connected or expected. */
  isExpectedIn(room: string): boolean {
    return this.#options.calls.isExpectedIn(room)
  }

  /** Takes a socket whose upgrade was accepted. Synchronous: its first messages have possibly arrived already. */
  accept(connection: LegTransport): void {
    const socket = PhoneLeg.accept(connection, this.#legOptions, leg => this.#handOver(leg))
    this.#sockets.add(socket)
    connection.once('close', () => this.#sockets.delete(socket))
  }

  /** Closes all sockets, including sockets without a leg, and waits for them. */
  async close(): Promise<void> {
    for (const leg of this.#legs) void leg.close({ kind: 'parent-closed' })
    await Promise.all(Array.from(this.#sockets, socket => socket.close('going-away')))
  }

  #check(start: Start): CloseCause | undefined {
    const { calls, history, tokens, clock, media } = this.#options
    const { token } = start.parameters
    const attempt = tokens.attemptOf(token)
    if (attempt === undefined || tokens.redeem(token, start.callId) !== 'ok') return 'unauthorized'
    const call = calls.get(start.callId)
    if (!call || call.state.status === 'over' || call.state.status === 'stopped') return 'call-ended'
    call.arrives(attempt)
    history.started(start.callId, attempt)
    const { codec, rate } = media.format
    if (start.codec === codec && start.rate === rate && start.channels === 1) return undefined
    // Another stream would have the same format, so the call is not resumed.
    if (call.state.status !== 'live') call.end(clock.now(), true)
    return 'media-format'
  }

  #handOver(leg: PhoneLeg): void {
    const { calls, clock, relay, log } = this.#options
    const call = calls.get(leg.callId)!
    const before = call.state
    call.began(leg, clock.now())
    if (before.status === 'live') {
      calls.replaced++
      void before.leg.close({ kind: 'replaced' })
    }
    this.#own(leg, call)
    log.info(
      { legId: leg.id, callId: leg.callId, streamId: leg.streamId, room: call.invitation.room },
      'stream started',
    )
    try {
      relay.admit(call.watch?.arriving(leg) ?? leg, call.invitation)
      call.watch?.arrived(leg)
    } catch (error) {
      const reason = this.#drop(leg, error)
      call.watch?.rejected(reason)
    }
  }

  #own(leg: PhoneLeg, call: Call): void {
    this.#legs.add(leg)
    const { clock, media } = this.#options
    this.#ticker ??= new Ticker(clock, WATCH_MS, now => this.#each(one => one.watch(now)))
    if (media.queue === 'none')
      this.#pacing ??= new Ticker(clock, PACE_MS, now => this.#each(one => one.pace(now)))
    void leg.ended.then(reason => {
      call.left(leg, reason, clock.now())
      this.#legs.delete(leg)
      this.#endedCounters.add(leg.counters)
      if (this.#legs.size > 0) return
      for (const ticker of [this.#ticker, this.#pacing]) ticker?.[Symbol.dispose]()
      this.#ticker = undefined
      this.#pacing = undefined
    })
  }

  #each(act: (leg: PhoneLeg) => void): void {
    for (const leg of this.#legs) {
      try {
        act(leg)
      } catch (error) {
        this.#drop(leg, error)
      }
    }
  }

  /** Ends a leg after an error: a `BridgeError` is a regular response, anything else an internal fault. */
  #drop(leg: PhoneLeg, cause: unknown): BridgeError {
    if (!(cause instanceof BridgeError)) leg.fault('internal', cause)
    const error =
      cause instanceof BridgeError ? cause : new BridgeError('LEG_LOST', 'internal error', { cause })
    void leg.close({ kind: 'failed', error })
    return error
  }
}
