import type { Caption } from '../model/events.ts'

type Stretch = NonNullable<Caption['spoken']>

/** A source of speech intervals. */
export interface Voiced {
  /** Returns the interval that a text arriving at `now` (clock ms) covers; see `VoiceActivity.stretch`. */
  spoken(now: number, final: boolean): Stretch | undefined
}

/** The state of the voice when an interpretation was cut off from it. */
interface Cut {
  readonly ended: Stretch | undefined
  readonly goingOn: Stretch | undefined
}

/**
 * The speech intervals of one interpretation's texts, limited to the time from its start to its cut. A change of
 * language during a sentence is such a cut: the rest of the sentence belongs to another interpretation.
 */
export class SpokenRange {
  readonly #voice: Voiced
  readonly #since: number
  /** The end of the interval of its last final text. */
  #told = Number.NEGATIVE_INFINITY
  #cut: Cut | undefined

  /** `since`: when the interpretation started (clock ms). */
  constructor(voice: Voiced, since: number) {
    this.#voice = voice
    this.#since = since
  }

  /** The interpretation receives no more of the voice from `now` (clock ms) on. */
  cut(now: number): void {
    this.#cut ??= { ended: this.#voice.spoken(now, true), goingOn: this.#voice.spoken(now, false) }
  }

  /** The interpretation receives the voice again. */
  goOn(): void {
    this.#cut = undefined
  }

  /** Returns the interval that a text arriving at `now` (clock ms) covers. */
  of(now: number, final: boolean): Stretch | undefined {
    const found = this.#cut ? this.#beforeCut(this.#cut) : this.#voice.spoken(now, final)
    if (!found) return undefined
    const fromMs = Math.max(found.fromMs, this.#since)
    const toMs = found.toMs > fromMs ? found.toMs : now
    if (final) this.#told = toMs
    return { fromMs, toMs }
  }

  /**
   * Returns the last interval before the cut, or the interval that was cut if a text for the former has already
   * arrived.
   */
  #beforeCut({ ended, goingOn }: Cut): Stretch | undefined {
    return ended && ended.toMs > this.#told ? ended : (goingOn ?? ended)
  }
}
