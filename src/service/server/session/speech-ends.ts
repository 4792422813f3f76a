import type { Clock } from '../../../common/clock.ts'
import { rms } from '../../../transcode/level.ts'
import { durationMs, FRAME_SAMPLES } from '../../../transcode/pcm.ts'
import { VoiceActivity } from '../../../transcode/voice-activity.ts'

/** Number of fragments with speech that are kept: half a minute at 60 ms each. */
const REMEMBERED = 512

/** Records when the speech of a stream arrived, to measure how long recognition takes. */
export class SpeechEnds {
  readonly #clock: Clock
  readonly #activity = new VoiceActivity()
  /** Fragments with speech: the position of its end (ms of the audio), and the arrival time (clock ms). */
  readonly #loud: { readonly toMs: number; readonly at: number }[] = []
  #samples = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Records the arrival of a 16 kHz fragment. */
  came(pcm: Int16Array): void {
    let toMs: number | undefined
    for (let at = 0; at < pcm.length; at += FRAME_SAMPLES) {
      const piece = pcm.subarray(at, at + FRAME_SAMPLES)
      this.#samples += piece.length
      const position = durationMs(this.#samples)
      if (this.#activity.frame(rms(piece), position)) toMs = position
    }
    if (toMs === undefined) return
    if (this.#loud.length >= REMEMBERED) this.#loud.shift()
    this.#loud.push({ toMs, at: this.#clock.now() })
  }

  /**
   * Returns how long ago the last speech of the utterance ending at `endMs` of the audio arrived (ms), or undefined if
   * no speech was found. Forgets earlier fragments.
   */
  sinceMs(endMs: number): number | undefined {
    let last: number | undefined
    for (let first = this.#loud[0]; first && first.toMs <= endMs; first = this.#loud[0]) {
      last = first.at
      this.#loud.shift()
    }
    return last === undefined ? undefined : Math.max(0, this.#clock.now() - last)
  }
}
