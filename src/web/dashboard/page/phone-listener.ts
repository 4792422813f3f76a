import type { Api } from './api.ts'
import { SOUND_RATE } from './rates.ts'

/** Sound that is kept ready against the network's moods (s). */
const LEAD_S = 0.25
/** More than this is caught up by leaving something out (s). */
const MOST_S = 1.2

let shared: AudioContext | undefined

/** One for all who are listened to, at the telephone's rate: the browser brings it up to that of the speakers. */
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
  /** How loud it is, 0 to 1, some times a second. */
  readonly onLevel: (level: number) => void
  /** It is over: hung up, or the connection broke. Not called after `stop`. */
  readonly onEnd: () => void
}

/** Plays what one simulated phone hears, as it hears it. Made by a click, since browsers ask for one before they play. */
export class PhoneListener {
  readonly #parts: ListenParts
  readonly #abort = new AbortController()
  readonly #audio = context()
  readonly #out: StereoPannerNode
  /** When the next sample is due (s of the audio's clock). */
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
      // Hung up, stopped or broken: it is over all the same.
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

  /** Networks cut where they like, also in the middle of a sample. */
  #whole(bytes: Uint8Array): Uint8Array {
    const odd = this.#odd
    const all = odd === undefined ? bytes : Uint8Array.of(odd, ...bytes)
    this.#odd = all.length % 2 === 1 ? all.at(-1) : undefined
    return all.subarray(0, all.length & ~1)
  }
}
