import { type BackoffPolicy, backoffMs } from '../../common/backoff.ts'
import type { Clock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { Logger } from '../../common/log.ts'
import type { ContainedFaults } from '../model/contained-faults.ts'
import type { SessionState } from '../model/events.ts'
import type { RelayMetrics } from '../model/relay-metrics.ts'
import type { RelaySettings } from '../model/relay-settings.ts'
import {
  ConnectionPair,
  type ConnectionPairEvents,
  type Deliveries,
  RenewalPolicy,
} from './connection-pair.ts'
import type { Fragment, FragmentPool } from './fragment-store.ts'
import { ReplayBuffer, ResultTracker } from './replay-buffer.ts'
import { next, nextAttempt, type SessionInput } from './session-state.ts'
import type { AudioSender, TranslationRequest, TranslationResult, Translator } from './translator.ts'

/** Timing of a session; the lengths of fragments are whole frames. */
export type SessionSettings = Pick<
  RelaySettings,
  'fragmentMs' | 'quietFragmentMs' | 'replayMs' | 'ackDeadlineMs' | 'connectTimeoutMs'
>

/** Receives what the service answers to a session. An exception ends neither the session nor its connection. */
export interface SessionResults {
  result(result: TranslationResult): void
  /** The audio of an utterance is complete; `utterance` names it if the service does. */
  endOfSpeech(utterance?: string): void
  /** A connection was lost: utterances in progress receive no more data. */
  interrupted(): void
}

/** Services that sessions share. */
export interface SessionServices {
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: RelayMetrics
  readonly translator: Translator
  readonly pool: FragmentPool
  readonly random: () => number
  readonly faults?: ContainedFaults
}

export interface SessionOptions {
  /** The speaker's id. */
  readonly speaker: string
  readonly request: TranslationRequest
  /** The speaker is on a phone line of 8 kHz. Default: false. */
  readonly narrowband?: boolean | undefined
  readonly settings: SessionSettings
  readonly services: SessionServices
  readonly results: SessionResults
  /** The state of `session` has changed. */
  readonly changed: (session: Session) => void
}

/**
 * Maximum number of fragments in flight: a replay of half a minute is paced by the service instead of being sent at
 * once.
 */
const WINDOW = 25
/** Retries after a lost connection. A service that has recovered is detected within the maximum delay. */
const RECONNECT: BackoffPolicy = { firstMs: 100, maxMs: 1_000 }
/**
 * Retries after the service rejected a session. The maximum is shorter than the replay buffer, so that speech between two
 * attempts is not lost.
 */
const REFUSED: BackoffPolicy = { firstMs: 1_000, maxMs: 30_000, jitter: 0.2 }
/** Pause after the service reported a failed fragment (ms). */
const NACK_PAUSE_MS = 100
/** A connection that refuses audio continuously for this long is replaced (ms). */
const NACK_PATIENCE_MS = 5_000
const TIDY_MS = 1_000
/** The failed attempt at which a service that works for others is reported, about 2 s after the first. */
const REPORTED_ATTEMPT = 5

/**
 * A session translates one speaker into one language. Once live, it retries after any error until it is closed. Owns
 * the replay buffer and a succession of connections to the service; a new connection first gets the audio that the last
 * one left unanswered. A connection that is about to end is replaced during a pause.
 */
export class Session {
  readonly request: TranslationRequest
  readonly speaker: string
  readonly ended: Promise<EndReason>
  /** Connections lost or failed so far. */
  drops = 0
  readonly #settings: SessionSettings
  readonly #services: SessionServices
  readonly #results: SessionResults
  readonly #changed: (session: Session) => void
  readonly #buffer: ReplayBuffer
  readonly #answers: ResultTracker
  readonly #connections: ConnectionPair
  /** Takes audio while the session is live. */
  #sender: AudioSender | undefined
  readonly #renewal = new RenewalPolicy()
  #state: SessionState
  #retry: Disposable | undefined
  #wasLive = false
  /** Consecutive refusals; reset by a connection that lasts. */
  #refusals = 0
  #holdUntil = Number.NEGATIVE_INFINITY
  #refusedSince: number | undefined
  #tidyAt = 0
  #lostMs = 0
  #unused = true
  #resolveEnded!: (reason: EndReason) => void

  constructor({ speaker, request, narrowband, settings, services, results, changed }: SessionOptions) {
    this.speaker = speaker
    this.request = request
    this.#settings = settings
    this.#services = services
    this.#results = results
    this.#changed = changed
    const { fragmentMs, quietFragmentMs, replayMs } = settings
    this.#buffer = new ReplayBuffer({
      ...{ pool: services.pool, fragmentMs, quietFragmentMs, capacityMs: replayMs, narrowband },
    })
    this.#answers = new ResultTracker(this.#buffer, request.want === 'speech')
    this.#connections = this.#connectionsTo(services)
    this.ended = new Promise(resolve => {
      this.#resolveEnded = resolve
    })
    this.#state = { status: 'opening', attempt: 1, since: services.clock.now() }
  }

  /** Opens the first connection. Called once; audio written before is sent as soon as the service accepts it. */
  start(): void {
    this.#services.metrics.sessionsOpened++
    this.#connections.open()
  }

  get state(): SessionState {
    return this.#state
  }

  /** True if the listener should hear the original because the service is unavailable. */
  get unavailable(): boolean {
    const state = this.#state
    if (state.status === 'live') return false
    if (this.#wasLive || state.status === 'ended' || state.attempt > 1) return true
    return this.#services.clock.now() - state.since > this.#settings.connectTimeoutMs
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
    if (this.#buffer.write(frame, quiet)) this.#pump(now)
  }

  /** Checks deadlines. Called on the relay's tick; a few times a second is enough. */
  check(now: number): void {
    const waiting = this.#state.status === 'live' ? this.#buffer.waitingSince() : undefined
    if (waiting !== undefined && now - waiting > this.#settings.ackDeadlineMs)
      this.#drop(
        new BridgeError('SERVICE_SILENT', `no ack for ${Math.round(now - waiting)} ms`, { retryable: true }),
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
      ready: sender => this.#begin(sender, { type: 'ready', at: clock.now() }),
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
          this.#answers.result(result, this.#services.clock.now())
          this.#results.result(result)
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
    this.#services.faults?.note('service connection failed', error, { speaker: this.speaker })
  }

  /** A connection accepts audio: first replays everything unanswered. */
  #begin(sender: AudioSender, input: SessionInput & { at: number }): void {
    this.#sender = sender
    this.#wasLive = true
    this.#refusedSince = undefined
    this.#holdUntil = Number.NEGATIVE_INFINITY
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
    const sender = this.#connections.change()
    this.#services.metrics.sessionsRenewed++
    this.#results.interrupted()
    this.#begin(sender, { type: 'renewed', at: now })
  }

  #acked(sequence: number, ok: boolean): void {
    const now = this.#services.clock.now()
    this.#buffer.ack(sequence, ok)
    if (ok) this.#refusedSince = undefined
    else {
      this.#refusedSince ??= now
      this.#holdUntil = now + NACK_PAUSE_MS
    }
    if (this.#refusedSince !== undefined && now - this.#refusedSince > NACK_PATIENCE_MS)
      this.#drop(
        new BridgeError('SERVICE_REFUSED', 'the service continuously refuses audio', { retryable: true }),
      )
    else if (!this.#services.translator.throttled) this.#pump(now)
  }

  #pump(now: number): void {
    if (this.#state.status !== 'live' || now < this.#holdUntil) return
    while (this.#state.status === 'live' && this.#buffer.inFlight < this.#window) {
      const fragment = this.#buffer.next(now)
      if (!fragment) return
      this.#services.metrics.fragmentsSent++
      this.#send(fragment)
      // While throttled, speech is sent at real-time pace; replays wait until all sessions have reconnected.
      if (this.#services.translator.throttled) return
    }
  }

  #send(fragment: Readonly<Fragment>): void {
    try {
      this.#sender?.send(this.#buffer.bytesOf(fragment), fragment.sequence)
    } catch (error) {
      this.#connections.sendFailed(error)
    }
  }

  /**
   * After a refusal, one fragment at a time until one is accepted: fragments after a refused one would be accepted out
   * of order.
   */
  get #window(): number {
    return this.#refusedSince === undefined ? WINDOW : 1
  }

  #lost(reason: EndReason): void {
    if (this.#state.status === 'live' && this.#connections.next === 'ready')
      this.#change(this.#services.clock.now())
    else if (reason.kind !== 'failed')
      this.#drop(new BridgeError('SERVICE_LOST', reason.kind, { retryable: true }))
    // An earlier success suggests that the refusal is transient or caused by a transmission error.
    else if (reason.error.retryable || this.#wasLive) this.#drop(reason.error)
    else this.#refused(reason.error)
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
    const waitMs = this.#waitMs(attempt, error)
    this.drops++
    this.#services.metrics.sessionsDropped++
    const { unavailable = false } = this.#services.translator
    if (this.#state.status === 'live' || (attempt === REPORTED_ATTEMPT && !unavailable))
      this.#services.log.warn(
        { speaker: this.speaker, code: error.code, error: error.message },
        'service connection lost, retrying',
      )
    this.#sender = undefined
    this.#become(next(this.#state, { type: 'dropped', at: now, waitMs }))
    this.#connections.close()
    // Immediately, so that this audio is not discarded as old while the service is unavailable.
    this.#services.metrics.fragmentsReplayed += this.#buffer.rewind()
    this.#results.interrupted()
    this.#retry = this.#services.clock.at(now + waitMs, () => {
      this.#become(next(this.#state, { type: 'retry', at: this.#services.clock.now() }))
      this.#connections.open()
    })
  }

  /** After a connection that lasted, the next attempt follows at once, regardless of the error. */
  #waitMs(attempt: number, { backOff }: BridgeError): number {
    const random = this.#services.random()
    if (attempt === 1) this.#refusals = 0
    else if (backOff === 'slow') return backoffMs(++this.#refusals, REFUSED, random)
    return backoffMs(attempt - 1, RECONNECT, random)
  }

  #end(reason: EndReason): void {
    this.#sender = undefined
    this.#become(next(this.#state, { type: 'end', reason }))
    this.#retry?.[Symbol.dispose]()
    this.#connections.close()
    this.#countLost()
    this.#buffer.close()
    this.#services.metrics.sessionsEnded++
    this.#results.interrupted()
    this.#resolveEnded(reason)
  }

  #countLost(): void {
    this.#services.metrics.lostMs += this.#buffer.lostMs - this.#lostMs
    this.#lostMs = this.#buffer.lostMs
  }

  #become(state: SessionState): void {
    this.#state = state
    this.#changed(this)
  }
}
