import { mixInto } from '../transcode/mix.ts'
import { FRAME_SAMPLES, SAMPLE_RATE, SILENT_FRAME } from '../transcode/pcm.ts'
import { saturate } from '../transcode/saturate.ts'

/** How long the sound of a source that was cut off takes to come to rest (5 ms). */
const TAIL_SAMPLES = SAMPLE_RATE / 200
/** A step this small needs no tail: it is no click. */
const STEP_LEAST = 32

/** Where one source begins and ends in a mix, wherever it is cut: neither clicks. */
export class PlayoutEdge {
  #gain = 0
  /** The last sample that was mixed. */
  #last = 0
  /** It is in the frame that is being made. */
  #mixed = false

  /** The gain at the end of the last frame; 0 when the source is at rest. */
  get gain(): number {
    return this.#gain
  }

  /** Cut off now, it would have to be brought to rest. */
  get hanging(): boolean {
    return this.#last > STEP_LEAST || this.#last < -STEP_LEAST
  }

  /** Adds a frame of the source to `out`; its gain runs from `from` to `to`. With `first`, `out` is still empty. */
  mix(out: Int16Array, frame: Int16Array, from: number, to: number, first: boolean): void {
    if (first && from === 1 && to === 1) out.set(frame)
    else {
      if (first) out.set(SILENT_FRAME)
      mixInto(out, frame, from, to)
    }
    this.#gain = to
    this.#last = frame[FRAME_SAMPLES - 1]! * to
    this.#mixed = true
  }

  /** `out` is complete: a source that had nothing for it comes to rest there. True when that can be heard. */
  settle(out: Int16Array): boolean {
    if (this.#mixed) {
      this.#mixed = false
      return false
    }
    const { hanging } = this
    if (hanging)
      for (let n = 0; n < TAIL_SAMPLES; n++)
        out[n] = saturate(out[n]! + (this.#last * (TAIL_SAMPLES - 1 - n)) / TAIL_SAMPLES)
    this.reset()
    return hanging
  }

  /** What was mixed last is not heard: the next frame begins from silence. */
  reset(): void {
    this.#gain = 0
    this.#last = 0
    this.#mixed = false
  }
}
