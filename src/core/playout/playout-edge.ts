import { mixInto } from '../../transcode/mixing.ts'
import { FRAME_SAMPLES, SAMPLE_RATE, SILENT_FRAME } from '../../transcode/pcm.ts'
import { saturate } from '../../transcode/saturate.ts'

/** Fade-out of a source that was cut off (5 ms). */
const TAIL_SAMPLES = SAMPLE_RATE / 200
/** A step below this is inaudible and needs no fade-out. */
const STEP_LEAST = 32

/** The start and end of one source in a mix. Prevents clicks at every cut. */
export class PlayoutEdge {
  #gain = 0
  /** The last sample mixed. */
  #last = 0
  /** The source is part of the frame being mixed. */
  #mixed = false

  /** The gain at the end of the last frame; 0 when the source is silent. */
  get gain(): number {
    return this.#gain
  }

  /** True if a cut now requires a fade-out. */
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

  /** Completes `out`: fades out a source that did not contribute to it. Returns true if the fade-out is audible. */
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

  /** The audio mixed last is not played: the next frame starts from silence. */
  reset(): void {
    this.#gain = 0
    this.#last = 0
    this.#mixed = false
  }
}
