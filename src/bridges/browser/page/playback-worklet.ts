import { rms } from '../../../transcode/level.ts'
import { createResampler } from '../../../transcode/resample/resampler.ts'
import { HEADER_BYTES } from '../audio-packet.ts'
import { JitterBuffer, type JitterOptions } from './jitter-buffer.ts'
import { PLAYBACK, type PlaybackOrder, type Played } from './worklet-messages.ts'

/** Samples pulled from the buffer at a time: 10 ms. */
const STEP = 160
/** Steps between two reports: 100 ms. */
const REPORT_STEPS = 10

/** Plays audio: turns bursts at 16 kHz into an even stream at the sound card’s rate. */
class Playback extends AudioWorkletProcessor {
  readonly #buffer: JitterBuffer
  readonly #resampler = createResampler(16_000, sampleRate)
  readonly #step = new Int16Array(STEP)
  #ready = new Int16Array(0)
  #used = 0
  #steps = 0
  #loudest = 0

  /** `processorOptions`: those of the buffer. */
  constructor({ processorOptions }: { readonly processorOptions?: JitterOptions } = {}) {
    super()
    this.#buffer = new JitterBuffer({ ...processorOptions, heard: id => this.#say({ kind: 'heard', id }) })
    this.port.onmessage = ({ data }: MessageEvent<PlaybackOrder>) => this.#order(data)
  }

  override process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const out = outputs[0]?.[0]
    if (!out) return true
    for (let n = 0; n < out.length; n++) {
      if (this.#used === this.#ready.length) this.#next()
      out[n] = this.#ready[this.#used++]! / 32_768
    }
    return true
  }

  #order(order: PlaybackOrder): void {
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

  #next(): void {
    this.#buffer.pull(this.#step)
    this.#loudest = Math.max(this.#loudest, rms(this.#step))
    this.#ready = this.#resampler.process(this.#step) as Int16Array<ArrayBuffer>
    this.#used = 0
    if (++this.#steps < REPORT_STEPS) return
    this.#steps = 0
    const { bufferedMs, underruns, skipped } = this.#buffer
    const level = this.#loudest / 32_768
    this.#say({
      kind: 'state',
      ...{ level, underruns },
      bufferedMs: Math.round(bufferedMs),
      skippedMs: Math.round(skipped / 16),
    })
    this.#loudest = 0
  }

  #say(played: Played): void {
    this.port.postMessage(played)
  }
}

registerProcessor(PLAYBACK, Playback)
