import { FRAME_MS } from '../transcode/pcm.ts'
import { HurriedSpeech } from './hurried-speech.ts'
import { LanePace } from './lane-pace.ts'
import { beginAgain, QueuedSpeech, type Speech } from './queued-speech.ts'

export type { Speech } from './queued-speech.ts'

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

/** How a lane follows time. */
export interface LaneTiming {
  /** Clock ms; without it the lane's own frames are its clock. */
  readonly now?: () => number
  /** Whether it catches up when it is late; by default it does. */
  readonly catchUp?: boolean
}

/** Frames between two looks at the lag: 100 ms. */
const LOOK_FRAMES = 5
/**
 * One speaker's translations on their way to one listener: whole utterances, in order. It knows how late they are heard
 * and catches up: pauses are trimmed, then speech is played faster, until nothing is late any more. When an utterance
 * would have to wait longer than `maxLagMs`, the oldest not begun are dropped whole. While nothing is late, frames pass
 * as they are.
 */
export class TranslationLane {
  readonly #queue: QueuedSpeech[] = []
  readonly #events: LaneEvents
  readonly #maxLagMs: number
  readonly #now: () => number
  readonly #catchesUp: boolean
  readonly #pace = new LanePace()
  /** Made when first behind. */
  #hurried: HurriedSpeech | undefined
  /** What is played comes by way of it. */
  #hurrying = false
  #frames = 0
  /** In mid utterance, and nothing there. */
  #dry = false
  #starving = false

  constructor(maxLagMs: number, events: LaneEvents, { now, catchUp = true }: LaneTiming = {}) {
    if (!(maxLagMs > 0)) throw new RangeError(`maxLagMs must be above 0, got ${maxLagMs}`)
    this.#maxLagMs = maxLagMs
    this.#events = events
    this.#now = now ?? (() => this.#frames * FRAME_MS)
    this.#catchesUp = catchUp
  }

  /** Takes a place in `speech` until it is played or dropped. */
  enqueue(speech: Speech): void {
    this.#queue.push(new QueuedSpeech(speech, this.#now()))
    this.#bound()
  }

  /** Audio known to wait here (ms). */
  get backlogMs(): number {
    let sum = this.#bufferedMs
    for (let n = 0; n < this.#queue.length; n++) sum += this.#queue[n]!.leftMs
    return sum
  }

  /**
   * How late what is here is heard: the longest time, in ms, by which an utterance is, or at the present pace will be,
   * heard later than it could have been when it came. 0 while everything is heard as it comes.
   */
  get lagMs(): number {
    let most = 0
    for (let n = 0; n < this.#queue.length; n++) {
      const queued = this.#queue[n]!
      const late = this.#now() - queued.arrivedAt + this.#waitMs(n) - queued.at * FRAME_MS
      if (late > most) most = late
    }
    return most
  }

  /** How much faster than spoken it plays now, 1 to 1.25. */
  get factor(): number {
    return this.#pace.now.factor
  }

  /** Whether pauses are trimmed now. */
  get trimming(): boolean {
    return this.#pace.now.trim
  }

  /** Time won so far by trimming pauses (ms). */
  get trimmedMs(): number {
    return this.#hurried?.trimmedMs ?? 0
  }

  /** Time won so far by speaking faster (ms). */
  get hastenedMs(): number {
    return this.#hurried?.hastenedMs ?? 0
  }

  /** In the middle of an utterance, or with one to begin. */
  get active(): boolean {
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      if (!first.taken || first.at > 0) return first.at > 0 || first.speech.audio.frames > 0
      this.#finish(first)
    }
    return false
  }

  /** In the middle of an utterance: the listener has heard its beginning. */
  get midway(): boolean {
    return this.#queue[0]?.begun ?? false
  }

  /** The next frame, valid until the one after it is asked for; undefined when there is none now. */
  next(): Int16Array | undefined {
    if (this.#queue.length === 0) return undefined
    if (this.#frames % LOOK_FRAMES === 0) {
      // How long utterances are is known only once they are decoded.
      if (this.#queue.length > 2) this.#bound()
      if (this.#catchesUp) this.#look()
    }
    const frame = this.#hurrying ? this.#nextHurried() : this.#nextAsItIs()
    if (!frame) return undefined
    this.#frames++
    this.#dry = false
    this.#starving = false
    return frame
  }

  /** Moves on if the frame just taken was the last of an utterance, which is then told; the frame was copied by now. */
  settle(): void {
    for (let first = this.#queue[0]; first?.begun && first.taken; first = this.#queue[0]) {
      if (this.#hurrying && !this.#hurried!.passed(first)) return
      this.#finish(first)
    }
  }

  /** The listener will hear the lack, if there is one: nothing is ahead any more, or something else goes out instead. */
  missed(): void {
    const first = this.#queue[0]
    if (!first || !this.#dry || this.#starving) return
    this.#starving = true
    this.#events.starved(first.speech)
  }

  /**
   * What was taken was not heard after all: `unheard`, which was begun, is played again, each from its beginning, and what
   * waits behind it. Somebody must hold a place at the beginning of each.
   */
  again(unheard: readonly Speech[]): void {
    this.#hurried?.clear()
    this.#rest()
    this.#dry = this.#starving = false
    const { queue, lost } = beginAgain(unheard, this.#queue.splice(0), this.#now())
    this.#queue.push(...queue)
    for (const speech of lost) this.#events.dropped(speech)
  }

  /** Drops everything, also what has begun. */
  clear(): void {
    this.#hurried?.clear()
    this.#rest()
    while (this.#queue.length > 0) this.#drop(0)
  }

  get #bufferedMs(): number {
    return this.#hurrying ? this.#hurried!.bufferedMs : 0
  }

  /** Drops the oldest that have not begun, until the newest need not wait for longer than it may. */
  #bound(): void {
    while (this.#waitMs(this.#queue.length - 1) > this.#maxLagMs) {
      const oldest = this.#queue.findIndex(queued => queued.at === 0)
      if (oldest < 1 || oldest === this.#queue.length - 1) return
      this.#drop(oldest)
    }
  }

  /** How long utterance `index` still waits for those before it at the present pace, what it gave ahead included (ms). */
  #waitMs(index: number): number {
    let sum = this.#bufferedMs
    for (let n = 0; n < index; n++) sum += this.#queue[n]!.leftMs
    return sum / this.factor
  }

  /** Audio that can be played before more has to come (ms). */
  get #aheadMs(): number {
    let sum = this.#bufferedMs
    for (let n = 0; n < this.#queue.length; n++) {
      const queued = this.#queue[n]!
      sum += queued.leftMs
      if (!queued.speech.audio.complete) return sum
    }
    return Number.POSITIVE_INFINITY
  }

  #look(): void {
    const pace = this.#pace.look(this.lagMs, this.#aheadMs)
    if (!this.#hurried) {
      if (this.#pace.atRest) return
      this.#hurried = new HurriedSpeech(this.#queue, queued => this.#begin(queued))
    }
    this.#hurried.pace = pace
    // Back to frames as they are once nothing is left that was read ahead.
    this.#hurrying = !this.#pace.atRest || this.#hurried.bufferedMs > 0
  }

  #rest(): void {
    this.#pace.reset()
    this.#hurrying = false
    this.#frames = 0
  }

  #nextAsItIs(): Int16Array | undefined {
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      const frame = first.next()
      if (frame) {
        if (!first.begun) this.#begin(first)
        return frame
      }
      if (!first.speech.audio.complete) {
        this.#dry = first.begun
        return undefined
      }
      this.#finish(first)
    }
    return undefined
  }

  #nextHurried(): Int16Array | undefined {
    const hurried = this.#hurried!
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      const frame = hurried.next()
      if (frame) return frame
      if (!first.taken || hurried.bufferedMs > 0) {
        this.#dry = first.begun
        return undefined
      }
      this.#finish(first)
    }
    return undefined
  }

  #begin(queued: QueuedSpeech): void {
    queued.begun = true
    this.#events.begun(queued.speech)
    queued.release()
  }

  #finish(first: QueuedSpeech): void {
    this.#queue.shift()
    this.#dry = false
    this.#starving = false
    if (first.begun) this.#events.finished(first.speech)
    else this.#events.dropped(first.speech)
    first.close()
    if (this.#queue.length === 0 && !this.#bufferedMs) this.#rest()
  }

  #drop(index: number): void {
    const [queued] = this.#queue.splice(index, 1)
    if (!queued) return
    if (index === 0) this.#dry = false
    this.#events.dropped(queued.speech)
    queued.close()
  }
}
