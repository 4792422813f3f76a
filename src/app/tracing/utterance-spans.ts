import { createHmac, randomBytes } from 'node:crypto'
import { BoundedMap } from '../../common/bounded-map.ts'
import type { ErrorCode } from '../../common/errors.ts'
import type { LanguageId } from '../../common/language.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { Observer, UtteranceEvent } from '../../core/model/events.ts'
import type { UtteranceStages } from '../../core/model/latency-stages.ts'

/** Outcome of an utterance for the first listener with playback of it. */
export type UtteranceOutcome =
  /** Played to the end. */
  | 'heard'
  /** Not played, or not to the end. */
  | 'dropped'
  /** The listener's leg failed meanwhile. */
  | 'failed'
  /** The listener left meanwhile, or the outcome is unknown. */
  | 'unknown'

/** One utterance from the end of speech to the end of playback, as traced: without text or phone numbers. */
export interface UtteranceTrace {
  /** Keyed digest: constant for a room while this process lives, and not reversible without the key. */
  readonly room: string
  readonly from?: LanguageId | undefined
  readonly to?: LanguageId | undefined
  /** Channels of the speaker and of the listener. */
  readonly speakerChannel?: string | undefined
  readonly listenerChannel?: string | undefined
  readonly outcome: UtteranceOutcome
  readonly error?: ErrorCode | undefined
  /** Number of listeners for which its playback started. */
  readonly listeners: number
  readonly audioMs: number
  readonly latencyMs?: number | undefined
  /** Times at which its first frame was sent and at which it ended (ms since 1970); equal if playback never started. */
  readonly begunAt: number
  readonly endedAt: number
  readonly stages: UtteranceStages
}

/** The stages in chronological order. */
export const IN_ORDER = ['recognition', 'service', 'translation', 'synthesis', 'network', 'bridge'] as const

/**
 * Maximum number of utterances tracked at once, and of those whose languages are remembered; above it the oldest are
 * dropped.
 */
const MOST = 2_000

interface Followed {
  readonly event: UtteranceEvent
  readonly begunAt: number
  listeners: number
}

/** Tracks each utterance at the first listener with playback of it, and reports it when it is over. */
export class UtteranceWatch implements Disposable {
  readonly #observer: Observer
  readonly #wall: WallClock
  readonly #tell: (trace: UtteranceTrace) => void
  readonly #key = randomBytes(32)
  readonly #followed = new Map<string, Followed>()
  /** Completed utterances, so that other listeners cause no second trace. */
  readonly #over = new Set<string>()
  readonly #languages = new BoundedMap<string, readonly [from: LanguageId, to: LanguageId]>(MOST)
  readonly #channels = new Map<string, string>()
  #subscriptions: readonly Disposable[] = []

  constructor(observer: Observer, wall: WallClock, tell: (trace: UtteranceTrace) => void) {
    this.#observer = observer
    this.#wall = wall
    this.#tell = tell
  }

  /** Tracks utterances from now on. Call it once. */
  start(): void {
    const observer = this.#observer
    this.#subscriptions = [
      observer.on('admitted', ({ participant, channel }) => void this.#channels.set(participant, channel)),
      observer.on('left', ({ participant, reason }) => this.#left(participant, reason)),
      observer.on('caption', ({ utterance, from, to }) => this.#languages.set(utterance, [from, to])),
      observer.on('utterance', event => this.#take(event)),
    ]
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
    for (const followed of Array.from(this.#followed.values())) this.#end(followed, 'unknown')
  }

  #take(event: UtteranceEvent): void {
    const { utterance, listener, stage } = event
    const followed = this.#followed.get(utterance)
    if (stage === 'begun') {
      if (followed) followed.listeners++
      else if (!this.#over.has(utterance)) this.#follow(event)
    } else if (followed?.event.listener === listener) this.#end(followed, stage, undefined, event.audioMs)
    // Dropped before any playback.
    else if (stage === 'dropped' && !followed && !this.#over.has(utterance))
      this.#end({ event, begunAt: this.#wall(), listeners: 0 }, 'dropped')
  }

  #follow(event: UtteranceEvent): void {
    if (this.#followed.size >= MOST) this.#end(this.#followed.values().next().value!, 'unknown')
    this.#followed.set(event.utterance, { event, begunAt: this.#wall(), listeners: 1 })
  }

  #left(participant: string, reason: EndReason): void {
    for (const followed of Array.from(this.#followed.values())) {
      if (followed.event.listener !== participant) continue
      if (reason.kind === 'failed') this.#end(followed, 'failed', reason.error.code)
      else this.#end(followed, 'unknown')
    }
    this.#channels.delete(participant)
  }

  #end(
    { event, begunAt, listeners }: Followed,
    outcome: UtteranceOutcome,
    error?: UtteranceTrace['error'],
    audioMs = event.audioMs,
  ): void {
    const { utterance, room, speaker, listener, latencyMs, stages = {} } = event
    this.#followed.delete(utterance)
    if (this.#over.size >= MOST) this.#over.delete(this.#over.values().next().value!)
    this.#over.add(utterance)
    const [from, to] = this.#languages.get(utterance) ?? []
    this.#languages.delete(utterance)
    this.#tell({
      room: createHmac('sha256', this.#key).update(room).digest('hex').slice(0, 16),
      ...{ from, to, outcome, error, listeners, audioMs, latencyMs, begunAt, stages },
      speakerChannel: this.#channels.get(speaker),
      listenerChannel: this.#channels.get(listener),
      endedAt: this.#wall(),
    })
  }
}
