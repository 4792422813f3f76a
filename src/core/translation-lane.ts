import { FRAME_MS } from '../transcode/pcm.ts'
import type { Utterance } from './utterance.ts'
import type { UtteranceReader } from './utterance-audio.ts'

/** An utterance as far as playing it goes. */
export type Speech = Pick<Utterance, 'id' | 'audio' | 'speechEndedAt'>

/** What became of an utterance in a lane. */
export interface LaneEvents {
  /** Its first frame is being sent. */
  begun(utterance: Speech): void
  /** Its last frame was taken; a mark may follow it. */
  finished(utterance: Speech): void
  /** It will not be played (any more). */
  dropped(utterance: Speech): void
  /** It ran dry before its end: the rest comes later, or never. */
  starved(utterance: Speech): void
}

interface Queued {
  readonly speech: Speech
  readonly reader: UtteranceReader
}

/**
 * One speaker's translations on their way to one listener: whole utterances, in order. It knows its backlog, and when
 * that grows past `maxLagMs` the oldest utterances not begun are dropped whole.
 */
export class TranslationLane {
  readonly #queue: Queued[] = []
  readonly #events: LaneEvents
  readonly #maxLagMs: number
  /** In mid utterance, and nothing there. */
  #dry = false
  #starving = false

  constructor(maxLagMs: number, events: LaneEvents) {
    if (!(maxLagMs > 0)) throw new RangeError(`maxLagMs must be above 0, got ${maxLagMs}`)
    this.#maxLagMs = maxLagMs
    this.#events = events
  }

  /** Takes a place in `speech` until it is played or dropped. */
  enqueue(speech: Speech): void {
    this.#queue.push({ speech, reader: speech.audio.reader() })
    while (this.#queue.length > 2 && this.backlogMs > this.#maxLagMs) this.#drop(1)
  }

  /** Audio known to wait here (ms). */
  get backlogMs(): number {
    let ms = 0
    for (const { speech, reader } of this.#queue)
      ms += Math.max(0, speech.audio.durationMs - reader.at * FRAME_MS)
    return ms
  }

  /** In the middle of an utterance, or with one to begin. */
  get active(): boolean {
    if (this.#queue.length === 0) return false
    for (
      let first = this.#queue[0];
      first?.speech.audio.complete && first.speech.audio.frames === 0;
      first = this.#queue[0]
    )
      this.#finish(first)
    const first = this.#queue[0]
    return first !== undefined && (first.reader.at > 0 || first.speech.audio.frames > 0)
  }

  /** In the middle of an utterance: the listener has heard its beginning. */
  get midway(): boolean {
    const first = this.#queue[0]
    return first !== undefined && first.reader.at > 0
  }

  /** The next frame, valid until the one after it is asked for; undefined when there is none now. */
  next(): Int16Array | undefined {
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      const frame = first.reader.next()
      if (frame) {
        this.#dry = false
        this.#starving = false
        if (first.reader.at === 1) this.#events.begun(first.speech)
        return frame
      }
      if (!first.speech.audio.complete) {
        this.#dry = first.reader.at > 0
        return undefined
      }
      this.#finish(first)
    }
    return undefined
  }

  /** Moves on if the frame just taken was the last of its utterance, which is then told; the frame was copied by now. */
  settle(): void {
    const first = this.#queue[0]
    if (first?.speech.audio.complete && first.reader.at > 0 && first.reader.at >= first.speech.audio.frames)
      this.#finish(first)
  }

  /** The listener will hear the lack, if there is one: nothing is ahead any more, or something else goes out instead. */
  missed(): void {
    const first = this.#queue[0]
    if (!first || !this.#dry || this.#starving) return
    this.#starving = true
    this.#events.starved(first.speech)
  }

  /** Drops everything, also what has begun. */
  clear(): void {
    while (this.#queue.length > 0) this.#drop(0)
  }

  #finish({ speech, reader }: Queued): void {
    this.#queue.shift()
    this.#dry = false
    this.#starving = false
    if (reader.at > 0) this.#events.finished(speech)
    else this.#events.dropped(speech)
    reader.close()
  }

  #drop(index: number): void {
    const [queued] = this.#queue.splice(index, 1)
    if (!queued) return
    if (index === 0) this.#dry = false
    this.#events.dropped(queued.speech)
    queued.reader.close()
  }
}
