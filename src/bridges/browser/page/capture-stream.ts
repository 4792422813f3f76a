import { rms } from '../../../transcode/level.ts'
import { Framer } from '../../../transcode/pcm.ts'
import { createResampler, type Resampler } from '../../../transcode/resample/resampler.ts'
import { HEADER_BYTES, PACKET_FRAME, writeHeader } from '../audio-packet.ts'
import type { Captured } from './worklet-messages.ts'

/** Turns blocks of a sound card at any of the resampler's rates into audio messages of 20 ms at 16 kHz. */
export class CaptureStream {
  muted = false
  readonly #resampler: Resampler
  readonly #framer = new Framer(PACKET_FRAME, frame => this.#send(frame))
  readonly #captured: (captured: Captured) => void
  #block = new Int16Array(0)
  #sequence = 0
  #timestamp = 0

  /** `rate`: of the sound card (Hz). */
  constructor(rate: number, captured: (captured: Captured) => void) {
    this.#resampler = createResampler(rate, 16_000)
    this.#captured = captured
  }

  /** `heard` has samples from -1 to 1; absent, `count` samples of silence take its place. */
  write(heard: Float32Array | undefined, count: number): void {
    if (this.#block.length !== count) this.#block = new Int16Array(count)
    const block = this.#block
    if (!heard) block.fill(0)
    else for (let n = 0; n < count; n++) block[n] = Math.max(-32_768, Math.min(32_767, heard[n]! * 32_768))
    this.#framer.write(this.#resampler.process(block))
  }

  #send(frame: Int16Array): void {
    const packet = new ArrayBuffer(HEADER_BYTES + frame.byteLength)
    writeHeader(new DataView(packet), this.#sequence++, this.#timestamp)
    this.#timestamp += frame.length
    if (!this.muted) new Int16Array(packet, HEADER_BYTES).set(frame)
    this.#captured({ packet, level: this.muted ? 0 : rms(frame) / 32_768 })
  }
}
