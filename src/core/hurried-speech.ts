import { FRAME_MS, FRAME_SAMPLES } from '../transcode/pcm.ts'
import { Stretch } from '../transcode/stretch.ts'
import type { Pace } from './catch-up.ts'
import type { QueuedSpeech } from './queued-speech.ts'

/** An utterance that is still coming is begun in the same breath only with this much of it there (ms). */
const BEGIN_MS = 400

const ms = (samples: number) => (samples * FRAME_MS) / FRAME_SAMPLES

/**
 * A lane's utterances in less time: read a little ahead, pauses trimmed within and between them, played faster. While it
 * hurries one may follow the other in mid frame; at rest each begins with a frame of its own.
 */
export class HurriedSpeech {
  readonly #queue: readonly QueuedSpeech[]
  readonly #begin: (queued: QueuedSpeech) => void
  readonly #stretch = new Stretch(() => this.#readAhead())
  readonly #frame = new Int16Array(FRAME_SAMPLES)
  #resting = true

  /** `queue` stays the lane's own; `begin` is told when the first sample of an utterance goes out. */
  constructor(queue: readonly QueuedSpeech[], begin: (queued: QueuedSpeech) => void) {
    this.#queue = queue
    this.#begin = begin
  }

  /** Sets how it plays from now on. */
  set pace({ trim, factor }: Pace) {
    this.#stretch.trimming = trim
    this.#stretch.factor = factor
    this.#resting = !trim && factor === 1
  }

  /** Audio that was read ahead (ms). */
  get bufferedMs(): number {
    return ms(this.#stretch.buffered)
  }

  get trimmedMs(): number {
    return ms(this.#stretch.trimmed)
  }

  get hastenedMs(): number {
    return ms(this.#stretch.hastened)
  }

  /** The next frame, valid until the one after it; undefined while an utterance has too little there, and at the end. */
  next(): Int16Array | undefined {
    if (!this.#stretch.ready(FRAME_SAMPLES) && !this.#drained()) return undefined
    const count = this.#stretch.read(this.#frame)
    if (count === 0) return undefined
    // Utterances are faded out: what is missing to a whole frame is silence.
    this.#frame.fill(0, count)
    for (let n = 0; n < this.#queue.length; n++) {
      const queued = this.#queue[n]!
      if (!queued.begun && queued.from >= 0 && queued.from < this.#stretch.position) this.#begin(queued)
    }
    return this.#frame
  }

  /** Whether all that was read of `queued` went out. */
  passed(queued: QueuedSpeech): boolean {
    return this.#stretch.position >= queued.to
  }

  /** Drops what was read ahead. */
  clear(): void {
    this.#stretch.clear()
  }

  /** The next frame of the utterance being read, or of the one behind it. */
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

  /** The last utterance that was read from is read to its end. */
  #drained(): boolean {
    for (let n = this.#queue.length - 1; n >= 0; n--) if (this.#queue[n]!.at > 0) return this.#queue[n]!.taken
    return this.#queue[0]?.taken ?? true
  }
}
