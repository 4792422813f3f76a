import { rms } from '../../../transcode/level.ts'
import { Framer } from '../../../transcode/pcm.ts'
import { createResampler } from '../../../transcode/resample/resampler.ts'
import { HEADER_BYTES, PACKET_FRAME, writeHeader } from '../audio-packet.ts'
import { CAPTURE, type Captured, type CaptureOrder } from './worklet-messages.ts'

/** Samples per call from the browser. */
const QUANTUM = 128

/**
 * Captures audio: resamples from the sound card’s rate to 20 ms frames at 16 kHz, including silence while no input is
 * connected.
 */
class Capture extends AudioWorkletProcessor {
  readonly #resampler = createResampler(sampleRate, 16_000)
  readonly #block = new Int16Array(QUANTUM)
  readonly #framer = new Framer(PACKET_FRAME, frame => this.#send(frame))
  #muted = false
  #sequence = 0
  #timestamp = 0

  constructor() {
    super()
    this.port.onmessage = ({ data }: MessageEvent<CaptureOrder>) => {
      this.#muted = data.muted
    }
  }

  override process(inputs: Float32Array[][]): boolean {
    const heard = inputs[0]?.[0]
    const block = this.#block
    if (!heard || this.#muted) block.fill(0)
    else for (let n = 0; n < QUANTUM; n++) block[n] = Math.max(-32_768, Math.min(32_767, heard[n]! * 32_768))
    this.#framer.write(this.#resampler.process(block))
    return true
  }

  #send(frame: Int16Array): void {
    const packet = new ArrayBuffer(HEADER_BYTES + frame.byteLength)
    writeHeader(new DataView(packet), this.#sequence++, this.#timestamp)
    this.#timestamp += frame.length
    new Int16Array(packet, HEADER_BYTES).set(frame)
    const said: Captured = { packet, level: rms(frame) / 32_768 }
    this.port.postMessage(said, [packet])
  }
}

registerProcessor(CAPTURE, Capture)
