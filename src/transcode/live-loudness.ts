import { FRAME_MS, FRAME_SAMPLES } from './pcm.ts'
import { approach, BLOCK_SAMPLES, KWeighting, lufs, SpeechLoudness } from './speech-loudness.ts'

/** Loudness assumed before any speech (LUFS): an ordinary microphone. */
const TYPICAL_DB = -26
/** A frame further above the loudness than this raises it at once: a shout after a whisper is not amplified (LU). */
const HEADROOM_LU = 12
/** Speech continues through gaps between words (frames: 300 ms). */
const HOLD_FRAMES = 15
/** Change of `presence` per frame where speech starts, and where it ends: within 80 ms, within 400 ms. */
const RISE = 0.25
const FALL = 0.05

/** Follows the loudness of a live voice, frame by frame: slowly, and upwards at once if it becomes much louder. */
export class LiveLoudness {
  readonly #weighting = new KWeighting()
  readonly #speech = new SpeechLoudness()
  #db = TYPICAL_DB
  #presence = 0
  #hold = 0

  /** Loudness of the voice while it speaks (LUFS). */
  get db(): number {
    return this.#db
  }

  /** Share of an amplification that applies: 1 during speech, 0 in pauses, whose noise must not be amplified. */
  get presence(): number {
    return this.#presence
  }

  /** Adds a frame of 20 ms. `speech`: it is speech, as far as its level shows. */
  frame(pcm: Int16Array, speech: boolean): void {
    const first = this.#weighting.energy(pcm, 0, BLOCK_SAMPLES)
    const second = this.#weighting.energy(pcm, BLOCK_SAMPLES, FRAME_SAMPLES)
    if (speech) this.#hold = HOLD_FRAMES
    if (this.#hold === 0) {
      this.#presence = Math.max(0, this.#presence - FALL)
      return
    }
    // Quiet parts of words count, too, or the loudness of a whisper would be that of its loudest sounds.
    this.#hold--
    this.#presence = Math.min(1, this.#presence + RISE)
    this.#speech.add(first / BLOCK_SAMPLES)
    this.#speech.add(second / BLOCK_SAMPLES)
    const measured = this.#speech.db
    if (Number.isFinite(measured)) this.#db = approach(this.#db, measured, FRAME_MS)
    this.#db = Math.max(this.#db, lufs((first + second) / FRAME_SAMPLES) - HEADROOM_LU)
  }
}
