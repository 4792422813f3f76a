import { concat } from '../../src/transcode/pcm.ts'
import { createResampler, type Resampler } from '../../src/transcode/resample/resampler.ts'

/** Sample value that marks occupy in the queue, and that audio must not have (mod_audio_fork: `AUDIO_MARKER`). */
const MARKER = -1
/** Marks that can be outstanding; more are discarded. */
const MAX_MARKS = 30

export interface PlayoutQueueOptions {
  /** Rate of the audio received, and of the call (Hz). */
  readonly rate: number
  readonly callRate: number
  /** Sends the echo of a mark. */
  readonly echo: (name: string, event: 'playout' | 'cleared') => void
}

/**
 * The audio that jambonz has received and not yet played, with its marks, as in the media module of October 2024: a
 * first buffer passes on whole batches, a second one is mixed into the call every 20 ms. Marks wait until the next audio
 * arrives or everything was played, and are samples of a reserved value from then on. Resampling loses them.
 */
export class PlayoutQueue {
  readonly #options: PlayoutQueueOptions
  readonly #downscale: number
  readonly #resampler: Resampler
  #before: Int16Array = new Int16Array(0)
  #threshold: number
  #queue: Int16Array = new Int16Array(0)
  #waiting: string[] = []
  #queued: string[] = []
  /** Marks that were cleared while their samples are queued. */
  #cleared = 0

  constructor(options: PlayoutQueueOptions) {
    const { rate, callRate } = options
    this.#options = options
    this.#resampler = createResampler(rate, callRate)
    this.#downscale = Math.max(1, Math.floor(rate / callRate))
    // 160 ms of the call’s 8 kHz before the first audio is passed on.
    this.#threshold = 320 * this.#downscale * 4
  }

  /** Adds received audio. */
  add(pcm: Int16Array): void {
    const markers = new Int16Array(this.#waiting.length).fill(MARKER)
    this.#queued.push(...this.#waiting.splice(0))
    this.#before = concat([this.#before, markers, pcm])
    if (this.#before.length < this.#threshold) return
    this.#threshold = 320 * this.#downscale * 2
    const whole = this.#before.length - (this.#before.length % this.#downscale)
    this.#queue = concat([this.#queue, this.#resampler.process(this.#before.subarray(0, whole))])
    this.#before = this.#before.slice(whole)
  }

  /** Adds a mark. Returns false if there are too many. */
  mark(name: string): boolean {
    if (this.#waiting.length + this.#queued.length >= MAX_MARKS) return false
    this.#waiting.push(name)
    return true
  }

  /** Drops everything that was passed on, and echoes all marks as cleared. */
  clear(): void {
    this.#queue = new Int16Array(0)
    const marks = [...this.#queued.splice(0), ...this.#waiting.splice(0)]
    for (const name of marks) this.#options.echo(name, 'cleared')
    this.#cleared = this.#before.filter(sample => sample === MARKER).length
  }

  /** Takes the next `samples` to play, padded with silence, and echoes the marks reached; undefined without audio. */
  next(samples: number): Int16Array | undefined {
    const out = new Int16Array(samples)
    const taken = this.#queue.subarray(0, samples)
    this.#queue = this.#queue.slice(taken.length)
    if (this.#queued.length + this.#cleared === 0) {
      out.set(taken)
      const name = taken.length === 0 ? this.#waiting.shift() : undefined
      if (name !== undefined) this.#options.echo(name, 'playout')
      return taken.length > 0 ? out : undefined
    }
    let at = 0
    for (const sample of taken) {
      if (sample !== MARKER) out[at++] = sample
      else if (this.#cleared > 0) this.#cleared--
      else this.#reach()
    }
    return taken.length > 0 ? out : undefined
  }

  #reach(): void {
    const name = this.#queued.shift()
    if (name !== undefined) this.#options.echo(name, 'playout')
  }
}
