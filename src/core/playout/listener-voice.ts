import { crossfade, FADE_SAMPLES } from '../../transcode/fade.ts'
import type { LiveLoudness } from '../../transcode/live-loudness.ts'
import { FRAME_SAMPLES } from '../../transcode/pcm.ts'
import type { OriginalMix } from '../model/invitation.ts'
import type { TappedVoice } from '../model/recording.ts'
import { type LaneEvents, type LaneTiming, TranslationQueue } from './translation-queue.ts'

/** Capacity (400 ms); live audio never arrives later than that. */
const MOST_FRAMES = 20

/**
 * A short bounded jitter buffer for one speaker's original voice to one listener. It fills to `prime` frames before
 * playback, and again after an underrun. While it holds more than that, it drops quiet frames to stay close to live.
 */
export class OriginalBuffer {
  readonly #frames: Int16Array[] = []
  readonly #quiet: boolean[] = []
  #read = 0
  #count = 0
  readonly #onDropped: () => void
  #flowing = false
  #lastQuiet = true
  /** Start of the first frame dropped since the last read. */
  #seam: Int16Array | undefined
  #seamed = false

  /** `onDropped` is called for each frame that is dropped, by choice or by overflow. */
  constructor(onDropped: () => void = () => {}) {
    this.#onDropped = onDropped
  }

  /** Frames queued. */
  get length(): number {
    return this.#count
  }

  /** True from the first read until the buffer runs dry. */
  get flowing(): boolean {
    return this.#flowing
  }

  /** True if it is empty, and the reader has noticed. */
  get idle(): boolean {
    return this.#count === 0 && !this.#flowing
  }

  /** True if the last frame read was not speech. */
  get quiet(): boolean {
    return this.#lastQuiet
  }

  /** Frames available now; 0 while the buffer fills up to `prime`, the network jitter that it absorbs. */
  ready(prime: number): number {
    return this.#flowing || this.#count >= prime ? this.#count : 0
  }

  /** Adds a copy of `frame`; drops the oldest frame when full. */
  write(frame: Int16Array, quiet: boolean): void {
    if (this.#count === MOST_FRAMES) this.#skip()
    const at = (this.#read + this.#count) % MOST_FRAMES
    this.#frames[at] ??= new Int16Array(FRAME_SAMPLES)
    this.#frames[at].set(frame)
    this.#quiet[at] = quiet
    this.#count++
  }

  /** Returns the next frame, valid until the next `write`, or undefined while the buffer fills or is empty. */
  next(prime: number): Int16Array | undefined {
    if (this.ready(prime) === 0) {
      this.#flowing = false
      return undefined
    }
    this.#flowing = true
    while (this.#count > prime && this.#quiet[this.#read]) this.#skip()
    const frame = this.#frames[this.#read]
    this.#lastQuiet = this.#quiet[this.#read] ?? true
    this.#advance()
    if (frame && this.#seamed) crossfade(this.#seam!, frame)
    this.#seamed = false
    return frame
  }

  clear(): void {
    this.#count = 0
    this.#flowing = false
    this.#seamed = false
  }

  /** Drops the oldest frame; keeps its start, which continues the last frame read, for the crossfade. */
  #skip(): void {
    const left = this.#frames[this.#read]
    if (left && !this.#seamed) {
      this.#seam ??= new Int16Array(FADE_SAMPLES)
      for (let n = 0; n < FADE_SAMPLES; n++) this.#seam[n] = left[n]!
      this.#seamed = true
    }
    this.#advance()
    this.#onDropped()
  }

  #advance(): void {
    this.#read = (this.#read + 1) % MOST_FRAMES
    this.#count--
  }
}

/** Maximum amplification of an original under a translation (dB): enough for the quietest voice that counts as speech. */
const MOST_BOOST_DB = 18
/** Change of the assumed loudness of translations per frame (dB): 25 dB a second. */
const REFERENCE_STEP_DB = 0.5

/** Tells if the translation of this speaker is unavailable. */
export interface Availability {
  readonly unavailable: boolean
}

/** Playback events of one speaker. */
export interface VoiceEvents extends LaneEvents {
  /** A frame of the original was dropped. */
  skipped(): void
}

/** The voice of a speaker for one listener. */
export interface VoiceRoute {
  /** The translating session; absent when both speak the same language. */
  readonly session?: Availability | undefined
  /** The listener's own voice: they hear its translation, never the original. Default false. */
  readonly own?: boolean
  /** The listener hears the original directly, without Dragoman. Default false. */
  readonly together?: boolean | undefined
  /** Default `duck`. */
  readonly original?: OriginalMix
  /** The speaker is muted. Default false. */
  readonly muted?: boolean | undefined
}

export interface ListenerVoiceOptions {
  /** Loudness of the speaker’s original voice. */
  readonly loudness: Pick<LiveLoudness, 'db' | 'presence'>
  /** How far the original lies below a translation (LU). */
  readonly distanceDb: number
  /** Loudness of translations before the first one (LUFS). */
  readonly translationDb: number
  /** Maximum delay of a translation; above it, the oldest utterances are dropped (ms). */
  readonly maxLagMs: number
  readonly events: VoiceEvents
  readonly timing?: LaneTiming
}

/** One speaker as one listener hears them: the original, its gain, and the translation. */
export class ListenerVoice {
  readonly speaker: string
  readonly translation: TranslationQueue
  readonly original: OriginalBuffer
  readonly #loudness: Pick<LiveLoudness, 'db' | 'presence'>
  readonly #distanceDb: number
  /** Loudness of the translations, which the original is compared with (LUFS). */
  #translationDb: number
  #session: Availability | undefined
  #own = false
  #together = false
  #mode: OriginalMix = 'duck'
  #muted = false
  #earlier: readonly ListenerVoice[] = []
  /** Gain of the last original frame mixed. */
  #gain = 0
  #tap: TappedVoice | undefined

  constructor(speaker: string, options: ListenerVoiceOptions) {
    const { loudness, distanceDb, translationDb, maxLagMs, events, timing } = options
    this.speaker = speaker
    this.#loudness = loudness
    this.#distanceDb = distanceDb
    this.#translationDb = translationDb
    this.translation = new TranslationQueue(maxLagMs, events, timing)
    this.original = new OriginalBuffer(() => events.skipped())
  }

  /** Applies a change of the participants or their states from the next frame on. */
  apply({ session, own = false, together = false, original = 'duck', muted = false }: VoiceRoute): void {
    // Audio from before the muting is stale.
    if (this.#muted && !muted) this.original.clear()
    this.#session = session
    this.#own = own
    this.#together = together
    this.#mode = original
    this.#muted = muted
  }

  /**
   * Leaves the original to the same speaker's voices for `earlier` listeners in this place: the first that plays it plays
   * it for all.
   */
  deferTo(earlier: readonly ListenerVoice[]): void {
    this.#earlier = earlier
  }

  /** Records the frames of the utterance that starts now on `tap`. */
  record(tap: TappedVoice | undefined): void {
    this.#tap = tap
  }

  /** Receives the frames of the utterance being played, while a tap is active. */
  get tap(): TappedVoice | undefined {
    return this.#tap
  }

  /** The translating session; undefined when both speak the same language. */
  get session(): Availability | undefined {
    return this.#session
  }

  /**
   * Returns the target gain of the original. `translating`: a translation is being played, `noticing`: a notice. Below a
   * translation, the distance is one of loudness: a loud and a whispering microphone are equally far from it. With `duck`,
   * it is half as large between translations.
   */
  wantedGain(translating: boolean, noticing = false): number {
    if (!this.#audible) return 0
    const usual = this.#usualGain(translating)
    return noticing ? Math.min(usual, this.#gainBelow(this.#distanceDb)) : usual
  }

  /** Records the gain of the original frame that was just mixed, or 0 if none was mixed. */
  mixed(gain: number): void {
    this.#gain = gain
    const step = (this.translation.loudnessDb ?? this.#translationDb) - this.#translationDb
    this.#translationDb += Math.min(REFERENCE_STEP_DB, Math.max(-REFERENCE_STEP_DB, step))
  }

  /** True if original frames are, or can become, audible. */
  get passes(): boolean {
    return this.#gain > 0 || this.#audible
  }

  /** True if the original has a gain above 0. */
  get #audible(): boolean {
    if (this.#muted || this.#together || this.#own) return false
    if (!this.#session) return true
    return this.#session.unavailable ? !this.#carriedByEarlier : this.#mode !== 'off'
  }

  #usualGain(translating: boolean): number {
    // Translations from before both spoke the same language are played to the end.
    if (!this.#session) return this.translation.active ? Math.min(1, this.#gainBelow(this.#distanceDb)) : 1
    if (this.#session.unavailable) return 1
    return this.#gainBelow(this.#mode === 'duck' && !translating ? this.#distanceDb / 2 : this.#distanceDb)
  }

  /** Returns the gain with which the original is `distanceDb` less loud than the translation. Pauses are not amplified. */
  #gainBelow(distanceDb: number): number {
    const { db, presence } = this.#loudness
    const gainDb = this.#translationDb - distanceDb - db
    return 10 ** ((gainDb > 0 ? Math.min(MOST_BOOST_DB, gainDb) * presence : gainDb) / 20)
  }

  /** True if it is not the background of a translation and needs minimum delay. */
  get live(): boolean {
    return !this.#together && !this.#own && (!this.#session || this.#session.unavailable)
  }

  get #carriedByEarlier(): boolean {
    for (const voice of this.#earlier) if (voice.live && !voice.#muted) return true
    return false
  }

  clear(): void {
    this.translation.clear()
    this.original.clear()
  }
}
