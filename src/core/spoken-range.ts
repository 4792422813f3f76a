import type { Caption } from './observer.ts'

type Stretch = NonNullable<Caption['spoken']>

/** Whose stretches of speech are asked for. */
export interface Voiced {
  /** The stretch that a text is about which comes at `now` (clock ms); see `VoiceActivity.stretch`. */
  spoken(now: number, final: boolean): Stretch | undefined
}

/** How it stood when an interpretation was cut off from its speaker's voice. */
interface Cut {
  readonly ended: Stretch | undefined
  readonly goingOn: Stretch | undefined
}

/**
 * When what one interpretation makes a text of was said: nothing of before it began, and nothing of after it was cut, as by a
 * change of language in the middle of a sentence, whose rest is another's.
 */
export class SpokenRange {
  readonly #voice: Voiced
  readonly #since: number
  /** The end of what its last final text was about. */
  #told = Number.NEGATIVE_INFINITY
  #cut: Cut | undefined

  /** `since`: when the interpretation began (clock ms). */
  constructor(voice: Voiced, since: number) {
    this.#voice = voice
    this.#since = since
  }

  /** It hears nothing more of the voice from `now` (clock ms) on. */
  cut(now: number): void {
    this.#cut ??= { ended: this.#voice.spoken(now, true), goingOn: this.#voice.spoken(now, false) }
  }

  /** It hears the voice again. */
  goOn(): void {
    this.#cut = undefined
  }

  /** What a text is about that comes at `now` (clock ms). */
  of(now: number, final: boolean): Stretch | undefined {
    const found = this.#cut ? this.#beforeCut(this.#cut) : this.#voice.spoken(now, final)
    if (!found) return undefined
    const fromMs = Math.max(found.fromMs, this.#since)
    const toMs = found.toMs > fromMs ? found.toMs : now
    if (final) this.#told = toMs
    return { fromMs, toMs }
  }

  /** What was said last before the cut, unless a text of that has come: then it is what the cut went through. */
  #beforeCut({ ended, goingOn }: Cut): Stretch | undefined {
    return ended && ended.toMs > this.#told ? ended : (goingOn ?? ended)
  }
}
