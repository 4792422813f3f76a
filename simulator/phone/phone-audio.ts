import { type Clock, Ticker } from '../../src/common/clock.ts'
import { rms } from '../../src/transcode/level.ts'
import { concat } from '../../src/transcode/pcm.ts'
import { createResampler } from '../../src/transcode/resample/resampler.ts'
import { mono, readWav } from '../../src/transcode/wav.ts'

/** Duration of a frame (ms). */
export const FRAME_MS = 20
/** Sample rate of `heard` (Hz). */
export const HEARD_RATE = 8_000
/** Audio below this level (RMS of 16-bit samples, −50 dBFS) is silence or comfort noise. */
export const AUDIBLE_RMS = 104
/** Rate between the rates of files and lines, which the resampler needs on one side (Hz). */
const MIDDLE_RATE = 16_000

/** Exchanges one frame of 20 ms at a time with the carrier: takes the voice, returns the audio to play, if there is any. */
export type FrameExchange = (voice: Int16Array) => Int16Array | undefined

/**
 * The microphone and the loudspeaker of a simulated phone on a line of `rate` Hz. While a stream is connected, it exchanges one
 * frame every 20 ms on an absolute grid: frames that a busy machine delays are all exchanged at the next tick.
 */
export class PhoneAudio {
  readonly rate: number
  readonly #clock: Clock
  readonly #frameSamples: number
  #voice: Int16Array[] = []
  readonly #heard: Int16Array[] = []
  #ticker: Ticker | undefined
  #frames = 0
  /** Called for each frame of audio from the carrier. `audible`: it is not just silence or comfort noise. */
  onFrame: ((now: number, audible: boolean) => void) | undefined

  constructor(rate: number, clock: Clock) {
    this.rate = rate
    this.#clock = clock
    this.#frameSamples = (rate * FRAME_MS) / 1_000
  }

  /** Queues speech (mono, `rate` Hz). Its last frame is filled up with silence. */
  say(pcm: Int16Array, rate: number): void {
    const samples = resample(pcm, rate, this.rate)
    for (let at = 0; at < samples.length; at += this.#frameSamples) {
      const frame = new Int16Array(this.#frameSamples)
      frame.set(samples.subarray(at, at + this.#frameSamples))
      this.#voice.push(frame)
    }
  }

  /** Starts to exchange frames, until `stop`. */
  start(exchange: FrameExchange): void {
    this.stop()
    const startedAt = this.#clock.now()
    this.#frames = 0
    this.#ticker = new Ticker(this.#clock, FRAME_MS, now => {
      const due = Math.floor((now - startedAt) / FRAME_MS)
      for (; this.#ticker && this.#frames < due; this.#frames++) {
        const played = exchange(this.#voice.shift() ?? new Int16Array(this.#frameSamples))
        if (played) this.onFrame?.(now, rms(played) >= AUDIBLE_RMS)
        this.hear(played ?? new Int16Array(this.#frameSamples))
      }
    })
  }

  /** True while a stream is connected. */
  get connected(): boolean {
    return this.#ticker !== undefined
  }

  /** True while speech is queued. */
  get speaking(): boolean {
    return this.#voice.length > 0
  }

  stop(): void {
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
  }

  /** Adds audio of the line’s rate that the phone played. */
  hear(pcm: Int16Array): void {
    this.#heard.push(pcm.slice())
  }

  /** Adds the audio of a WAV file. */
  hearWav(file: Uint8Array): void {
    const wav = readWav(file)
    this.hear(resample(mono(wav), wav.rate, this.rate))
  }

  /** Everything that the phone played, at 8 kHz; silence only while a stream was connected. */
  heard(): Int16Array {
    return resample(concat(this.#heard), this.rate, HEARD_RATE)
  }
}

/** Converts all of `pcm`, also between rates for which there is no direct resampler. */
export function resample(pcm: Int16Array, from: number, to: number): Int16Array {
  if (from === to) return pcm
  if (from !== MIDDLE_RATE && to !== MIDDLE_RATE)
    return resample(resample(pcm, from, MIDDLE_RATE), MIDDLE_RATE, to)
  const resampler = createResampler(from, to)
  const body = resampler.process(pcm).slice()
  return concat([body, resampler.flush()])
}
