import { FRAME_MS } from '../transcode/pcm.ts'
import type { Utterance } from './utterance.ts'

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
}

/**
 * One speaker's translations on their way to one listener: whole utterances, in order. It knows its backlog, and when
 * that grows past `maxLagMs` the oldest utterances not begun are dropped whole.
 */
export class TranslationLane {
  readonly #queue: Speech[] = []
  readonly #events: LaneEvents
  readonly #maxLagMs: number
  #at = 0
  #starving = false
  /** Times it ran dry in mid utterance. */
  starved = 0

  constructor(maxLagMs: number, events: LaneEvents) {
    if (!(maxLagMs > 0)) throw new RangeError(`maxLagMs must be above 0, got ${maxLagMs}`)
    this.#maxLagMs = maxLagMs
    this.#events = events
  }

  /** Holds `utterance` until it is played or dropped. */
  enqueue(utterance: Speech): void {
    utterance.audio.retain()
    this.#queue.push(utterance)
    while (this.#queue.length > 2 && this.backlogMs > this.#maxLagMs) this.#drop(1)
  }

  /** Audio known to wait here (ms). */
  get backlogMs(): number {
    let ms = -this.#at * FRAME_MS
    for (const utterance of this.#queue) ms += utterance.audio.durationMs
    return Math.max(0, ms)
  }

  /** In the middle of an utterance, or with one to begin. */
  get active(): boolean {
    for (
      let first = this.#queue[0];
      first?.audio.complete && first.audio.frames === 0;
      first = this.#queue[0]
    )
      this.#finish(first)
    return this.#queue.length > 0 && (this.#at > 0 || this.#queue[0]!.audio.frames > 0)
  }

  /** The next frame, valid while its utterance is; undefined when there is none now. */
  next(): Int16Array | undefined {
    for (;;) {
      const utterance = this.#queue[0]
      if (!utterance) return undefined
      const frame = utterance.audio.frame(this.#at)
      if (frame) {
        this.#starving = false
        if (this.#at++ === 0) this.#events.begun(utterance)
        return frame
      }
      if (!utterance.audio.complete) {
        if (this.#at > 0 && !this.#starving) {
          this.#starving = true
          this.starved++
        }
        return undefined
      }
      this.#finish(utterance)
    }
  }

  /** True when the frame just taken was the last of its utterance; the lane has then moved on. */
  endedWithFrame(): boolean {
    const utterance = this.#queue[0]
    if (!utterance?.audio.complete || this.#at === 0 || this.#at < utterance.audio.frames) return false
    this.#finish(utterance)
    return true
  }

  /** Drops everything, also what has begun. */
  clear(): void {
    while (this.#queue.length > 0) this.#drop(0)
  }

  #finish(utterance: Speech): void {
    this.#queue.shift()
    const begun = this.#at > 0
    this.#at = 0
    this.#starving = false
    if (begun) this.#events.finished(utterance)
    else this.#events.dropped(utterance)
    utterance.audio.release()
  }

  #drop(index: number): void {
    const [utterance] = this.#queue.splice(index, 1)
    if (!utterance) return
    if (index === 0) this.#at = 0
    this.#events.dropped(utterance)
    utterance.audio.release()
  }
}
