import type { OriginalVoice } from './invitation.ts'
import { OriginalLane } from './original-lane.ts'
import type { TappedVoice } from './tap.ts'
import type { LaneEvents, LaneTiming } from './translation-lane.ts'
import { TranslationLane } from './translation-lane.ts'

/** How loud originals are (factors, 1 = as spoken). */
export interface OriginalGains {
  /** `low`, all the time. */
  readonly low: number
  /** `duck`, while nothing is being translated. */
  readonly soft: number
  /** `duck`, under a translation. */
  readonly ducked: number
}

/** Says whether the translation of this speaker is out of reach just now. */
export interface Away {
  readonly away: boolean
}

/** What happens to what is heard of one speaker. */
export interface VoiceEvents extends LaneEvents {
  /** A frame of the original was left out. */
  skipped(): void
}

/** One speaker as one listener hears them: the original and the translation, and how loud the first is. */
export class Voice {
  readonly speaker: string
  readonly translation: TranslationLane
  readonly original: OriginalLane
  /** Loudness of the last original frame that was mixed. */
  gain = 0
  /** The translating session; absent when both speak the same language. */
  session: Away | undefined
  /** The listener's own voice, which is heard only while translation is away. */
  own = false
  /** The listener hears the original without us. */
  together = false
  /** The same speaker as earlier listeners in this place hear them: the first that plays the original plays it for all. */
  earlier: readonly Voice[] = []
  mode: OriginalVoice = 'duck'
  /** The speaker has muted themself. */
  muted = false
  /** Gets the frames of the utterance being heard, while somebody taps. */
  tap: TappedVoice | undefined
  readonly #gains: OriginalGains

  constructor(
    speaker: string,
    gains: OriginalGains,
    maxLagMs: number,
    events: VoiceEvents,
    timing?: LaneTiming,
  ) {
    this.speaker = speaker
    this.#gains = gains
    this.translation = new TranslationLane(maxLagMs, events, timing)
    this.original = new OriginalLane(() => events.skipped())
  }

  /** The loudness the original should have now; `translating`: a translation is being played. */
  wantedGain(translating: boolean): number {
    if (this.muted || this.together) return 0
    // What was translated before the two came to understand each other is still heard to its end.
    if (!this.session) return this.own ? 0 : this.translation.active ? this.#gains.ducked : 1
    if (this.session.away) return this.#carriedByEarlier ? 0 : 1
    if (this.own || this.mode === 'off') return 0
    if (this.mode === 'low') return this.#gains.low
    return translating ? this.#gains.ducked : this.#gains.soft
  }

  /** Whether original frames are worth keeping at all. */
  get passes(): boolean {
    return this.gain > 0 || this.wantedGain(false) > 0
  }

  /** It is what the listener follows, not the background of a translation: it must come quickly. */
  get live(): boolean {
    return !this.together && (!this.session || this.session.away)
  }

  get #carriedByEarlier(): boolean {
    for (const voice of this.earlier) if (voice.live && !voice.muted) return true
    return false
  }

  clear(): void {
    this.translation.clear()
    this.original.clear()
  }
}
