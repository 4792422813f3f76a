import { rms } from '../../../transcode/level.ts'
import { createResampler, type Resampler } from '../../../transcode/resample/resampler.ts'
import { HEADER_BYTES } from '../audio-packet.ts'
import { JitterBuffer, type JitterOptions } from './jitter-buffer.ts'
import type { PlaybackOrder, Played } from './worklet-messages.ts'

/** Samples pulled from the buffer at a time: 10 ms. */
const STEP = 160
/** Steps between two reports: 100 ms. */
const REPORT_STEPS = 10

/** Turns bursts of audio at 16 kHz into an even stream at any of the resampler's rates. */
export class PlaybackStream {
  readonly #played: (played: Played) => void
  readonly #buffer: JitterBuffer
  readonly #resampler: Resampler
  readonly #step = new Int16Array(STEP)
  #ready = new Int16Array(0)
  #used = 0
  #steps = 0
  #loudest = 0

  /** `rate`: of the sound card (Hz); `jitter`: options of the buffer. */
  constructor(rate: number, played: (played: Played) => void, jitter: JitterOptions = {}) {
    this.#played = played
    this.#buffer = new JitterBuffer({ ...jitter, heard: id => played({ kind: 'heard', id }) })
    this.#resampler = createResampler(16_000, rate)
  }

  order(order: PlaybackOrder): void {
    switch (order.kind) {
      case 'audio':
        this.#buffer.push(
          new Int16Array(order.packet, HEADER_BYTES),
          new DataView(order.packet).getUint32(4, true),
        )
        return
      case 'mark':
        this.#buffer.mark(order.id)
        return
      case 'flush':
        this.#buffer.flush()
        return
      case 'begin':
        this.#buffer.begin()
        return
      default:
        order satisfies never
    }
  }

  /** Fills `out` with samples from -1 to 1. */
  read(out: Float32Array): void {
    for (let n = 0; n < out.length; n++) {
      while (this.#used === this.#ready.length) this.#next()
      out[n] = this.#ready[this.#used++]! / 32_768
    }
  }

  #next(): void {
    this.#buffer.pull(this.#step)
    this.#loudest = Math.max(this.#loudest, rms(this.#step))
    this.#ready = this.#resampler.process(this.#step) as Int16Array<ArrayBuffer>
    this.#used = 0
    if (++this.#steps < REPORT_STEPS) return
    this.#steps = 0
    const { bufferedMs, underruns, skipped } = this.#buffer
    const level = this.#loudest / 32_768
    this.#played({
      kind: 'state',
      ...{ level, underruns },
      bufferedMs: Math.round(bufferedMs),
      skippedMs: Math.round(skipped / 16),
    })
    this.#loudest = 0
  }
}
