import { FRAME_MS, FRAME_SAMPLES } from '../../transcode/pcm.ts'
import { Stretch } from '../../transcode/stretch/stretch.ts'
import type { Pace } from './catch-up.ts'
import type { QueuedSpeech } from './queued-utterance.ts'

/** Minimum audio of an incomplete utterance before it directly follows the previous one (ms). */
const BEGIN_MS = 400

const ms = (samples: number) => (samples * FRAME_MS) / FRAME_SAMPLES

/**
 * Plays a queue's utterances in less time: reads slightly ahead, trims pauses within and between utterances, and speeds up
 * speech. At a faster rate an utterance can start in the middle of a frame; at normal rate each starts with a new frame.
 */
export class HurriedSpeech {
  readonly #queue: readonly QueuedSpeech[]
  readonly #begin: (queued: QueuedSpeech) => void
  readonly #stretch = new Stretch(() => this.#readAhead())
  readonly #frame = new Int16Array(FRAME_SAMPLES)
  #resting = true

  /** The caller keeps ownership of `queue`. `begin` is called when the first sample of an utterance is emitted. */
  constructor(queue: readonly QueuedSpeech[], begin: (queued: QueuedSpeech) => void) {
    this.#queue = queue
    this.#begin = begin
  }

  /** Sets the playback rate. */
  set pace({ trim, factor }: Pace) {
    this.#stretch.trimming = trim
    this.#stretch.factor = factor
    this.#resting = !trim && factor === 1
  }

  /** Duration of audio read ahead (ms). */
  get bufferedMs(): number {
    return ms(this.#stretch.buffered)
  }

  get trimmedMs(): number {
    return ms(this.#stretch.trimmed)
  }

  get hastenedMs(): number {
    return ms(this.#stretch.hastened)
  }

  /** Returns the next frame, valid until the next call; undefined at the end, or while too little audio is available. */
  next(): Int16Array | undefined {
    if (!this.#stretch.ready(FRAME_SAMPLES) && !this.#drained()) return undefined
    const count = this.#stretch.read(this.#frame)
    if (count === 0) return undefined
    // Utterances end with a fade-out, so silence can complete the frame.
    this.#frame.fill(0, count)
    for (let n = 0; n < this.#queue.length; n++) {
      const queued = this.#queue[n]!
      if (!queued.begun && queued.from >= 0 && queued.from < this.#stretch.position) this.#begin(queued)
    }
    return this.#frame
  }

  /** Returns true if all audio read from `queued` was emitted. */
  passed(queued: QueuedSpeech): boolean {
    return this.#stretch.position >= queued.to
  }

  /** Drops the audio read ahead. */
  clear(): void {
    this.#stretch.clear()
  }

  /** Returns the next frame of the current utterance, or of the following one. */
  #readAhead(): Int16Array | undefined {
    const at = this.#stretch.position + this.#stretch.buffered
    for (let n = 0; n < this.#queue.length; n++) {
      const queued = this.#queue[n]!
      if (n > 0 && queued.at === 0 && !this.#mayFollow(queued)) return undefined
      const frame = queued.readAhead(at)
      if (frame) return frame
      if (!queued.taken) return undefined
    }
    return undefined
  }

  #mayFollow(queued: QueuedSpeech): boolean {
    return !this.#resting && (queued.speech.audio.complete || queued.leftMs >= BEGIN_MS)
  }

  /** Returns true if the last utterance that was started has been read completely. */
  #drained(): boolean {
    for (let n = this.#queue.length - 1; n >= 0; n--) if (this.#queue[n]!.at > 0) return this.#queue[n]!.taken
    return this.#queue[0]?.taken ?? true
  }
}
