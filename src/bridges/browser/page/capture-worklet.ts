import { CaptureStream } from './capture-stream.ts'
import { CAPTURE, type CaptureOrder } from './worklet-messages.ts'

/** Samples per call from the browser. */
const QUANTUM = 128

/** Captures audio, including silence while no input is connected. */
class Capture extends AudioWorkletProcessor {
  readonly #stream = new CaptureStream(sampleRate, captured =>
    this.port.postMessage(captured, [captured.packet]),
  )

  constructor() {
    super()
    this.port.onmessage = ({ data }: MessageEvent<CaptureOrder>) => {
      this.#stream.muted = data.muted
    }
  }

  override process(inputs: Float32Array[][]): boolean {
    this.#stream.write(inputs[0]?.[0], QUANTUM)
    return true
  }
}

registerProcessor(CAPTURE, Capture)
