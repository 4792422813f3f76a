<<<<<<< 447b89f9f1303cc2466f4681d36ab4894fe9ba65
import { PlaybackStream } from './playback-stream.ts'
import { PLAYBACK, type PlaybackOrder } from './worklet-messages.ts'
=======
import { rms } from '../../../transcode/level.ts'
import { createResampler } from '../../../transcode/resample/resampler.ts'
import { HEADER_BYTES } from '../audio-packet.ts'
import { JitterBuffer, type JitterOptions } from './jitter-buffer.ts'
import { PLAYBACK, type PlaybackOrder, type Played } from './worklet-messages.ts'
>>>>>>> 872f0fa187a689161d165b475c0d30966aa5b04f

/** Plays audio. */
class Playback extends AudioWorkletProcessor {
<<<<<<< 447b89f9f1303cc2466f4681d36ab4894fe9ba65
  readonly #stream = new PlaybackStream(sampleRate, played => this.port.postMessage(played))
=======
  readonly #buffer: JitterBuffer
  readonly #resampler = createResampler(16_000, sampleRate)
  readonly #step = new Int16Array(STEP)
  #ready = new Int16Array(0)
  #used = 0
  #steps = 0
  #loudest = 0
>>>>>>> 872f0fa187a689161d165b475c0d30966aa5b04f

  /** `processorOptions`: those of the buffer. */
  constructor({ processorOptions }: { readonly processorOptions?: JitterOptions } = {}) {
    super()
<<<<<<< 447b89f9f1303cc2466f4681d36ab4894fe9ba65
    this.port.onmessage = ({ data }: MessageEvent<PlaybackOrder>) => this.#stream.order(data)
=======
    this.#buffer = new JitterBuffer({ ...processorOptions, heard: id => this.#say({ kind: 'heard', id }) })
    this.port.onmessage = ({ data }: MessageEvent<PlaybackOrder>) => this.#order(data)
>>>>>>> 872f0fa187a689161d165b475c0d30966aa5b04f
  }

  override process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const out = outputs[0]?.[0]
    if (out) this.#stream.read(out)
    return true
  }
}

registerProcessor(PLAYBACK, Playback)
