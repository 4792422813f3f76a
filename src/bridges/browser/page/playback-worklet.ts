import type { JitterOptions } from './jitter-buffer.ts'
import { PlaybackStream } from './playback-stream.ts'
import { PLAYBACK, type PlaybackOrder } from './worklet-messages.ts'

/** Plays audio. */
class Playback extends AudioWorkletProcessor {
  readonly #stream: PlaybackStream

  /** `processorOptions`: those of the buffer. */
  constructor({ processorOptions }: { readonly processorOptions?: JitterOptions } = {}) {
    super()
    this.#stream = new PlaybackStream(sampleRate, played => this.port.postMessage(played), processorOptions)
    this.port.onmessage = ({ data }: MessageEvent<PlaybackOrder>) => this.#stream.order(data)
  }

  override process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const out = outputs[0]?.[0]
    if (out) this.#stream.read(out)
    return true
  }
}

registerProcessor(PLAYBACK, Playback)
