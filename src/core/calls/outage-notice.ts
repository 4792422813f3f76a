import { type Clock, setTimer } from '../../common/clock.ts'
import type { ReceptionEvent } from '../model/events.ts'
import type { NoticeVoice } from './notice-voice.ts'

/**
 * Duration of an outage before listeners are notified (ms); most are shorter. It begins when the speaker speaks
 * untranslated: at once, or after `connectTimeoutMs` of the relay for a first connection, or `ackDeadlineMs` for one on
 * which the service is silent. A sentence that is being played ends first, within the patience of the mixer.
 */
const NOTICE_AFTER_MS = 1_000
/** Minimum time between two such notices to the same listener (ms). */
const NOTICE_EVERY_MS = 30_000
/** Minimum duration of an outage for a notice when translation recovers (ms); a shorter one is hardly noticed. */
const RECOVERY_NOTICE_AFTER_MS = 5_000

/**
 * Notifies one listener of speakers whom they hear untranslated: once while any are, at a limited rate, and when a long
 * outage has ended.
 */
export class OutageNotice implements Disposable {
  readonly #voice: NoticeVoice
  readonly #clock: Clock
  /** What this listener misses, by speaker, in the order in which it started. */
  readonly #missed = new Map<string, ReceptionEvent>()
  #since = 0
  #waiting: Disposable | undefined
  #told = false
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(voice: NoticeVoice, clock: Clock) {
    this.#voice = voice
    this.#clock = clock
  }

  /** The notice is delayed, so short outages have none. */
  take(reception: ReceptionEvent): void {
    const { speaker, missed } = reception
    if (missed) {
      if (this.#missed.size === 0) this.#since = this.#clock.now()
      this.#missed.set(speaker, reception)
      this.#waiting ??= setTimer(this.#clock, NOTICE_AFTER_MS, () => this.#tell())
    } else if (this.#missed.delete(speaker) && this.#missed.size === 0)
      this.#ended(this.#clock.now() - this.#since)
  }

  [Symbol.dispose](): void {
    this.#waiting?.[Symbol.dispose]()
    this.#waiting = undefined
  }

  #ended(durationMs: number): void {
    this[Symbol.dispose]()
    if (!this.#told) return
    this.#told = false
    if (durationMs >= RECOVERY_NOTICE_AFTER_MS) void this.#voice.say('service-back')
    else this.#voice.hush()
  }

  #tell(): void {
    const now = this.#clock.now()
    const [first] = this.#missed.values()
    if (!first || now - this.#toldAt < NOTICE_EVERY_MS) return
    this.#told = true
    this.#toldAt = now
    const { speaker, listener, name, why } = first
    if (speaker === listener) void this.#voice.say('self-untranslated')
    // Without a service, the sentence with the name cannot be spoken, and everybody is affected.
    else if (name !== undefined && why !== 'service-unavailable')
      void this.#voice.say('speaker-untranslated', { name })
    else void this.#voice.say('service-unavailable')
  }
}
