import { after, type Clock } from '../../common/clock.ts'
import type { AttendantOptions } from './attendant-options.ts'
import type { AttendantVoice } from './attendant-voice.ts'

/** Notifies one listener of outages of the translation: once per outage, at a limited rate, and of recovery from long outages. */
export class AttendantOutage implements Disposable {
  readonly #voice: AttendantVoice
  readonly #options: AttendantOptions
  readonly #clock: Clock
  #waiting: Disposable | undefined
  #told = false
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(voice: AttendantVoice, options: AttendantOptions, clock: Clock) {
    this.#voice = voice
    this.#options = options
    this.#clock = clock
  }

  /** Translation is unavailable and the listener hears originals. The notice is delayed, so short outages have none. */
  away(): void {
    this.#waiting ??= after(this.#clock, this.#options.awayNoticeMs, () => this.#tell())
  }

  /** Translation is available again after `forMs`. */
  back(forMs: number): void {
    this[Symbol.dispose]()
    if (!this.#told) return
    this.#told = false
    if (forMs >= this.#options.backNoticeMs) void this.#voice.say('service-back')
    else this.#voice.hush()
  }

  [Symbol.dispose](): void {
    this.#waiting?.[Symbol.dispose]()
    this.#waiting = undefined
  }

  #tell(): void {
    const now = this.#clock.now()
    if (now - this.#toldAt < this.#options.awayAgainMs) return
    this.#told = true
    this.#toldAt = now
    void this.#voice.say('service-away')
  }
}
