import type { Clock } from '../../core/clock.ts'
import { VoiceActivity } from '../../core/voice-activity.ts'
import { rms } from '../../transcode/level.ts'
import { durationMs, FRAME_SAMPLES } from '../../transcode/pcm.ts'

/** Fragments with speech that are remembered: half a minute of them, at 60 ms each. */
const REMEMBERED = 512

/** When the speech of a stream came, so that it can be told how long understanding it took. */
export class SpeechEnds {
  readonly #clock: Clock
  readonly #activity = new VoiceActivity()
  /** Fragments that had speech in them: how far it reached (ms of the audio), and when they came (clock ms). */
  readonly #loud: { readonly toMs: number; readonly at: number }[] = []
  #samples = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A fragment came, 16 kHz. */
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
   * How long ago the last speech came that an utterance has which reaches up to `endMs` of the audio (ms); undefined where no
   * speech was found. What came before is forgotten.
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
