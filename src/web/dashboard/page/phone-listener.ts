import type { Api } from './api.ts'
import { SOUND_RATE } from './rates.ts'

/** Audio buffered against network jitter (s). */
const LEAD_S = 0.25
/** Above this buffer, audio is skipped to catch up (s). */
const MOST_S = 1.2

let shared: AudioContext | undefined

/** One context for all phones, at the phone’s sample rate; the browser resamples it. */
function context(): AudioContext {
  shared ??= new AudioContext({ sampleRate: SOUND_RATE })
  void shared.resume()
  return shared
}

export interface ListenParts {
  readonly api: Api
  readonly call: string
  readonly phone: number
  /** −1 (left) to 1 (right). */
  readonly pan: number
  /** Volume, 0 to 1, several times a second. */
  readonly onLevel: (level: number) => void
  /** The call has ended or the connection broke. Not called after `stop`. */
  readonly onEnd: () => void
}

/**
 * Plays live what a simulated phone hears. Created in a click handler, because browsers require a user action before
 * playing.
 */
export class PhoneListener {
  readonly #parts: ListenParts
  readonly #abort = new AbortController()
  readonly #audio = context()
  readonly #out: StereoPannerNode
  /** Time of the next sample (s of the audio clock). */
  #due = 0
  #odd: number | undefined

  constructor(parts: ListenParts) {
    this.#parts = parts
    this.#out = new StereoPannerNode(this.#audio, { pan: parts.pan })
    this.#out.connect(this.#audio.destination)
    void this.#run()
  }

  stop(): void {
    this.#abort.abort()
    this.#out.disconnect()
  }

  async #run(): Promise<void> {
    const { api, call, phone, onEnd } = this.#parts
    try {
      const path = `/dashboard/calls/${encodeURIComponent(call)}/phones/${phone}/sound`
      const { body } = await api.open('GET', path, undefined, this.#abort.signal)
      const reader = body?.getReader()
      for (;;) {
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
        if (done || !value) break
        this.#play(value)
      }
    } catch {
      // Hung up, stopped or broken: playback ends in any case.
    }
    if (!this.#abort.signal.aborted) onEnd()
  }

  #play(bytes: Uint8Array): void {
    const whole = this.#whole(bytes)
    const samples = new Float32Array(whole.length >> 1)
    const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength)
    let loudest = 0
    for (let at = 0; at < samples.length; at++) {
      const sample = view.getInt16(at * 2, true) / 32_768
      samples[at] = sample
      if (Math.abs(sample) > loudest) loudest = Math.abs(sample)
    }
    this.#parts.onLevel(loudest)
    if (samples.length === 0) return
    const now = this.#audio.currentTime
    if (this.#due < now + 0.02) this.#due = now + LEAD_S
    if (this.#due > now + MOST_S) return
    const buffer = this.#audio.createBuffer(1, samples.length, SOUND_RATE)
    buffer.copyToChannel(samples, 0)
    const source = new AudioBufferSourceNode(this.#audio, { buffer })
    source.connect(this.#out)
    source.start(this.#due)
    this.#due += buffer.duration
  }

  /** Chunks from the network can end within a sample. */
  #whole(bytes: Uint8Array): Uint8Array {
    const odd = this.#odd
    const all = odd === undefined ? bytes : Uint8Array.of(odd, ...bytes)
    this.#odd = all.length % 2 === 1 ? all.at(-1) : undefined
    return all.subarray(0, all.length & ~1)
  }
}
