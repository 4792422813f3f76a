import { BridgeError } from '../../common/errors.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { SessionState } from '../model/events.ts'
import type { Lack } from '../model/reception.ts'
import {
  ConnectionPair,
  type ConnectionPairEvents,
  type Deliveries,
  type ReadyConnection,
  RenewalPolicy,
} from './connection-pair.ts'
import type { Fragment } from './fragment-store.ts'
import { NackPolicy } from './nack-policy.ts'
import { ReconnectBackoff } from './reconnect-backoff.ts'
import { ReplayBuffer, ResultTracker } from './replay-buffer.ts'
import type { SessionOptions, SessionResults, SessionServices, SessionSettings } from './session-options.ts'
import { next, nextAttempt, type SessionInput } from './session-state.ts'
import type { TranslationRequest } from './translator.ts'

const TIDY_MS = 1_000
/** A silent speaker keeps the connection for this long (ms) … */
const KEEP_MS = 60_000
/** … unless another speaker needs the place, who gets it after a pause with all speech answered … */
const PAUSE_MS = 1_000
/** … or after a pause so long that no answer is to be expected (ms). */
const UNANSWERED_MS = 5_000
/** Length of fragments in a pause (ms): fewer, larger messages where no one notices. */
const QUIET_FRAGMENT_MS = 180
/** The failed attempt at which a service that works for others is reported, about 2 s after the first. */
const REPORTED_ATTEMPT = 5

/**
 * A session translates one speaker into one language. It occupies a place at the service only while its speaker speaks, and
 * for a minute afterwards. Once live, it retries after any error until it is closed. Owns the replay buffer and a
 * succession of connections to the service; a new connection first gets the audio that the last one left unanswered, or
 * the audio from before the speech was noticed. A connection that is about to end is replaced during a pause.
 */
export class Session {
  readonly request: TranslationRequest
  readonly speaker: string
  readonly ended: Promise<EndReason>
  /** When the speaker last spoke (clock ms). */
  spokeAt = Number.NEGATIVE_INFINITY
  readonly #settings: SessionSettings
  readonly #services: SessionServices
  readonly #results: SessionResults
  readonly #changed: (state: SessionState) => void
  readonly #buffer: ReplayBuffer
  readonly #answers: ResultTracker
  readonly #connections: ConnectionPair
  /** The connection that takes audio; present while the session is live. */
  #active: ReadyConnection | undefined
  readonly #renewal = new RenewalPolicy()
  #state: SessionState
  #retry: Disposable | undefined
  /** It was live since the speaker began to speak. */
  #wasLive = false
  /** The service has accepted it at some time. */
  #accepted = false
  readonly #refusedBefore: boolean
  readonly #retries: ReconnectBackoff
  readonly #nacks = new NackPolicy()
  #tidyAt = 0
  #lostMs = 0
  #unused = true
  #resolveEnded!: (reason: EndReason) => void

  constructor(options: SessionOptions) {
    const { speaker, request, narrowband, settings, services, results, changed } = options
    this.speaker = speaker
    this.request = request
    this.#refusedBefore = options.refusedBefore ?? false
    this.#settings = settings
    this.#services = services
    this.#results = results
    this.#changed = changed
    const { fragmentMs, replayMs } = settings
    this.#retries = new ReconnectBackoff(services.random)
    this.#buffer = new ReplayBuffer({
      ...{
        pool: services.pool,
        fragmentMs,
        quietFragmentMs: QUIET_FRAGMENT_MS,
        capacityMs: replayMs,
        narrowband,
      },
    })
    this.#answers = new ResultTracker(this.#buffer, request.want === 'speech')
    this.#connections = this.#connectionsTo(services)
    this.ended = new Promise(resolve => {
      this.#resolveEnded = resolve
    })
    this.#state = { status: 'idle' }
  }

  /**
   * The speaker speaks at `now`: opens a connection if there is none, as soon as a place is free, and keeps it. The audio
   * written shortly before is sent first, as soon as the service accepts it.
   */
  wake(now: number): void {
    this.spokeAt = now
    if (this.#state.status !== 'idle') return
    this.#services.metrics.sessionsOpened++
    this.#become(next(this.#state, { type: 'wake', at: now }))
    if (this.#services.places.enter(this)) this.#connections.open()
  }

  /** True while it occupies a place at the service, or tries to get one. */
  get open(): boolean {
    return !['idle', 'ended'].includes(this.#state.status)
  }

  tryPlace(): void {
    this.#connections.open()
  }

  noPlace(now: number): void {
    if (this.#wishless(now)) this.#rest()
    else if (this.#state.status === 'opening') {
      this.#services.log.warn({ speaker: this.speaker }, 'no free session at the service, queued')
      this.#become(next(this.#state, { type: 'full' }))
    }
  }

  /** Closes the connection if nothing is lost by that. Returns false if it is needed. */
  yieldPlace(now: number): boolean {
    if (!this.#resting(now)) return false
    this.#rest()
    return true
  }

  get state(): SessionState {
    return this.#state
  }

  /** Why the speaker is not translated, or would not be if they spoke; undefined: they are. */
  get lack(): Lack | undefined {
    const state = this.#state
    if (state.status === 'live') return undefined
    if (state.status === 'ended' || (this.#refusedBefore && !this.#accepted)) return 'refused'
    // Known to be away: nobody waits until this connection has failed, too.
    if (this.#services.translator.unavailable) return 'service-unavailable'
    if (state.status === 'idle') return undefined
    if (state.status === 'queued') return 'no-place'
    const late = this.#services.clock.now() - state.since > this.#settings.connectTimeoutMs
    return this.#wasLive || state.attempt > 1 || late ? 'no-connection' : undefined
  }

  /** True if a fallback service translates, or would. */
  get onFallback(): boolean {
    return this.#active?.fallback ?? this.#services.translator.onFallback ?? false
  }

  /** Speech dropped from the replay buffer before the service accepted it (ms). */
  get lostMs(): number {
    return this.#buffer.lostMs
  }

  /** True if it has received no speech and no results, so there are no last words to wait for. */
  get unused(): boolean {
    return this.#unused
  }

  /** Adds one frame of the speaker's voice; `quiet` if it is not speech. */
  write(frame: Int16Array, quiet: boolean, now: number): void {
    if (this.#state.status === 'ended') return
    this.#unused &&= quiet
    if (!this.#buffer.write(frame, quiet)) return
    if (this.#state.status === 'idle') this.#buffer.keepNewest()
    else this.#pump(now)
  }

  /** Checks deadlines. Called on the relay's tick; a few times a second is enough. */
  check(now: number): void {
    const isSilent = now - this.spokeAt >= KEEP_MS
    if (this.#state.status === 'queued' ? this.#wishless(now) : isSilent && this.#resting(now)) {
      this.#rest()
      return
    }
    const waitMs = now - (this.#buffer.waitingSince() ?? now)
    if (waitMs > this.#settings.ackDeadlineMs)
      this.#drop(
        new BridgeError('SERVICE_SILENT', `no ack for ${Math.round(waitMs)} ms`, { retryable: true }),
      )
    if (this.#answers.gaveUp(now)) this.#results.endOfSpeech()
    if (this.#state.status === 'live') this.#renew(now)
    if (now >= this.#tidyAt) {
      this.#tidyAt = now + TIDY_MS
      this.#buffer.tidy(now)
      this.#countLost()
    }
    this.#pump(now)
  }

  close(reason: EndReason): Promise<EndReason> {
    if (this.#state.status !== 'ended') this.#end(reason)
    return this.ended
  }

  #connectionsTo({ translator, clock }: SessionServices): ConnectionPair {
    const events: ConnectionPairEvents = {
      ready: (sender, fallback) => this.#begin({ sender, fallback }, { type: 'ready', at: clock.now() }),
      deliveries: active => this.#deliveries(active),
      renew: ms => this.#renewal.want(clock.now(), ms),
      ended: reason => this.#lost(reason),
      standbyFailed: () => this.#renewal.failed(clock.now()),
      thrown: error => this.#thrown(error),
    }
    return new ConnectionPair({ translator, request: this.request, events })
  }

  #deliveries(active: () => boolean): Deliveries {
    const handled = (handle: () => void) => {
      if (!active()) return
      try {
        handle()
      } catch (error) {
        this.#thrown(error)
      }
    }
    return {
      acked: (sequence, ok) => handled(() => this.#acked(sequence, ok)),
      result: result =>
        handled(() => {
          this.#unused = false
          const now = this.#services.clock.now()
          this.#answers.result(result, now)
          this.#results.result(result, this.#answers.saidAt(result, now))
        }),
      endOfSpeech: utterance =>
        handled(() => {
          this.#answers.complete(utterance)
          this.#results.endOfSpeech(utterance)
        }),
      fault: ({ code, message }) =>
        handled(() =>
          this.#services.log.warn(
            { speaker: this.speaker, code, error: message },
            'service reported an error',
          ),
        ),
    }
  }

  #thrown(error: unknown): void {
    this.#services.faults.note('service connection failed', error, { speaker: this.speaker })
  }

  /** A connection accepts audio: first replays everything unanswered. */
  #begin(connection: ReadyConnection, input: SessionInput & { at: number }): void {
    this.#active = connection
    this.#wasLive = true
    this.#accepted = true
    this.#services.places.take(this)
    this.#nacks.begin()
    this.#renewal.begin()
    this.#services.metrics.fragmentsReplayed += this.#buffer.rewind()
    this.#answers.begin()
    this.#become(next(this.#state, input))
    this.#pump(input.at)
  }

  /** Replaces a connection that is about to end. */
  #renew(now: number): void {
    const resting = this.#buffer.resting && !this.#answers.open
    if (this.#connections.next === 'ready') {
      if (this.#renewal.changes(now, resting)) this.#change(now)
    } else if (this.#connections.next === 'none' && this.#renewal.prepares(now, resting))
      this.#connections.prepare()
  }

  #change(now: number): void {
    const connection = this.#connections.change()
    this.#services.metrics.sessionsRenewed++
    this.#results.interrupted()
    this.#begin(connection, { type: 'renewed', at: now })
  }

  #acked(sequence: number, ok: boolean): void {
    const now = this.#services.clock.now()
    this.#buffer.ack(sequence, ok)
    if (this.#nacks.acked(ok, now))
      this.#drop(
        new BridgeError('SERVICE_REFUSED', 'the service continuously refuses audio', { retryable: true }),
      )
    else if (!this.#services.translator.throttled) this.#pump(now)
  }

  #pump(now: number): void {
    if (this.#nacks.holds(now)) return
    while (this.#active && this.#buffer.inFlight < this.#nacks.window) {
      const fragment = this.#buffer.next(now)
      if (!fragment) return
      this.#services.metrics.fragmentsSent++
      this.#send(fragment, this.#active)
      // While throttled, speech is sent at real-time pace; replays wait until all sessions have reconnected.
      if (this.#services.translator.throttled) return
    }
  }

  #send(fragment: Readonly<Fragment>, { sender }: ReadyConnection): void {
    try {
      sender.send(this.#buffer.bytesOf(fragment), fragment.sequence)
    } catch (error) {
      this.#connections.sendFailed(error)
    }
  }

  #lost(reason: EndReason): void {
    if (this.#connections.next === 'ready') this.#change(this.#services.clock.now())
    else if (reason.kind === 'failed' && reason.error.full && this.#state.status !== 'live')
      this.#services.places.refused(this)
    else if (reason.kind !== 'failed')
      this.#drop(new BridgeError('SERVICE_LOST', reason.kind, { retryable: true }))
    // An earlier success suggests that the refusal is transient or caused by a transmission error.
    else if (reason.error.retryable || this.#accepted) this.#drop(reason.error)
    else this.#refused(reason.error)
  }

  /** True if a session without a connection needs none: the speaker pauses, and no speech waits for the service. */
  #wishless(now: number): boolean {
    return now - this.spokeAt >= PAUSE_MS && this.#buffer.resting
  }

  /** True if it is live, and would lose nothing without its connection: the speaker pauses, and no answer is pending. */
  #resting(now: number): boolean {
    if (this.#state.status !== 'live' || this.#answers.open) return false
    if (this.#wishless(now)) return true
    return now - Math.max(this.spokeAt, this.#state.since) >= UNANSWERED_MS
  }

  /** The speaker is silent: closes the connection until they speak again. */
  #rest(): void {
    this.#active = undefined
    this.#wasLive = false
    this.#retries.reset()
    this.#retry?.[Symbol.dispose]()
    this.#services.places.leave(this)
    this.#services.metrics.sessionsEnded++
    this.#become(next(this.#state, { type: 'rest' }))
    this.#connections.close()
    this.#buffer.rewind()
    this.#buffer.keepNewest()
    this.#results.interrupted()
  }

  /**
   * The service refused the first connection permanently, for example because of an unsupported language: listeners hear
   * originals.
   */
  #refused(error: BridgeError): void {
    const { from, to } = this.request
    this.#services.log.error(
      { speaker: this.speaker, from, to, code: error.code, error: error.message },
      'service refused the session',
    )
    this.#end({ kind: 'failed', error })
  }

  #drop(error: BridgeError): void {
    const now = this.#services.clock.now()
    const attempt = nextAttempt(this.#state, now)
    const waitMs = this.#retries.waitMs(attempt, error)
    this.#services.metrics.sessionsDropped++
    const { unavailable = false } = this.#services.translator
    if (this.#state.status === 'live' || (attempt === REPORTED_ATTEMPT && !unavailable))
      this.#services.log.warn(
        { speaker: this.speaker, code: error.code, error: error.message },
        'service connection lost, retrying',
      )
    this.#active = undefined
    this.#services.places.lost(this)
    this.#become(next(this.#state, { type: 'dropped', at: now, waitMs }))
    this.#connections.close()
    // Immediately, so that this audio is not discarded as old while the service is unavailable.
    this.#services.metrics.fragmentsReplayed += this.#buffer.rewind()
    this.#results.interrupted()
    this.#retry = this.#services.clock.at(now + waitMs, () => {
      this.#become(next(this.#state, { type: 'retry', at: this.#services.clock.now() }))
      // A speaker who had a place needs it again at once, for the rest of their sentence.
      if (this.#wasLive || this.#services.places.enter(this)) this.#connections.open()
    })
  }

  #end(reason: EndReason): void {
    this.#active = undefined
    this.#services.places.leave(this)
    if (this.open) this.#services.metrics.sessionsEnded++
    this.#become(next(this.#state, { type: 'end', reason }))
    this.#retry?.[Symbol.dispose]()
    this.#connections.close()
    this.#countLost()
    this.#buffer.close()
    this.#results.interrupted()
    this.#resolveEnded(reason)
  }

  #countLost(): void {
    this.#services.metrics.lostMs += this.#buffer.lostMs - this.#lostMs
    this.#lostMs = this.#buffer.lostMs
  }

  #become(state: SessionState): void {
    this.#state = state
    this.#changed(state)
  }
}
