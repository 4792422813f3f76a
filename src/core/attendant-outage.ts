import type { AttendantOptions } from './attendant-options.ts'
import type { AttendantVoice } from './attendant-voice.ts'
import { after, type Clock } from './clock.ts'

/** Tells one listener that translation is away, once per outage and not too often, and that it is back after long. */
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

  /** Originals are heard from now on. A short outage is not worth words. */
  away(): void {
    this.#waiting ??= after(this.#clock, this.#options.awayNoticeMs, () => this.#tell())
  }

  /** Translations are heard again, after `forMs`. */
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
