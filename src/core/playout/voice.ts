import type { OriginalVoice } from '../model/invitation.ts'
import type { TappedVoice } from '../model/tap.ts'
import { OriginalLane } from './original-lane.ts'
import type { LaneEvents, LaneTiming } from './translation-queue.ts'
import { TranslationLane } from './translation-queue.ts'

/** Gains of originals (factors, 1 = unchanged). */
export interface OriginalGains {
  /** `low`, all the time. */
  readonly low: number
  /** `duck`, without a translation playing. */
  readonly soft: number
  /** `duck`, under a translation. */
  readonly ducked: number
}

/** Tells if the translation of this speaker is unavailable. */
export interface Away {
  readonly away: boolean
}

/** Playback events of one speaker. */
export interface VoiceEvents extends LaneEvents {
  /** A frame of the original was dropped. */
  skipped(): void
}

/** One speaker as one listener hears them: the original, its gain, and the translation. */
export class Voice {
  readonly speaker: string
  readonly translation: TranslationLane
  readonly original: OriginalLane
  /** Gain of the last original frame mixed. */
  gain = 0
  /** The translating session; absent when both speak the same language. */
  session: Away | undefined
  /** The listener's own voice, which is played only while translation is unavailable. */
  own = false
  /** The listener hears the original directly, without Dragoman. */
  together = false
  /**
   * The same speaker's voices for earlier listeners in this place: the first to play the original plays it for
   * all.
   */
  earlier: readonly Voice[] = []
  mode: OriginalVoice = 'duck'
  /** The speaker is muted. */
  muted = false
  /** Receives the frames of the utterance being played, while a tap is active. */
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

  /** Returns the target gain of the original; `translating`: a translation is being played. */
  wantedGain(translating: boolean): number {
    if (this.muted || this.together) return 0
    // Translations from before both spoke the same language are played to the end.
    if (!this.session) return this.own ? 0 : this.translation.active ? this.#gains.ducked : 1
    if (this.session.away) return this.#carriedByEarlier ? 0 : 1
    if (this.own || this.mode === 'off') return 0
    if (this.mode === 'low') return this.#gains.low
    return translating ? this.#gains.ducked : this.#gains.soft
  }

  /** True if original frames are, or can become, audible. */
  get passes(): boolean {
    return this.gain > 0 || this.wantedGain(false) > 0
  }

  /** True if it is not the background of a translation and needs minimum delay. */
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
