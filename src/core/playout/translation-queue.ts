import { FRAME_MS } from '../../transcode/pcm.ts'
import { CatchUpController, TimeCompressedSpeech } from './catch-up.ts'
import { QueuedSpeech, restart, type SpokenUtterance } from './queued-utterance.ts'

export type { SpokenUtterance } from './queued-utterance.ts'

/** Events of an utterance in the queue. */
export interface LaneEvents {
  /** Its first frame is being sent. */
  begun(utterance: SpokenUtterance): void
  /** The frame just read starts a part of it, whose words were said at `saidAt` (clock ms). */
  part?(utterance: SpokenUtterance, saidAt: number): void
  /** Its last frame was read; a mark can follow it. */
  finished(utterance: SpokenUtterance): void
  /** It will not be played, or not to its end. */
  dropped(utterance: SpokenUtterance): void
  /** An underrun before its end: the rest arrives later, or never. */
  starved(utterance: SpokenUtterance): void
}

/** Timing of a queue. */
export interface LaneTiming {
  /** Clock ms; by default, the queue's own frames are its clock. */
  readonly now?: () => number
  /** Enables catching up when late; on by default. */
  readonly catchUp?: boolean
}

/** Frames between two measurements of the lag: 100 ms. */
const LOOK_FRAMES = 5
/**
 * One speaker's translations for one listener: whole utterances, in order. It measures their delay and catches up: it
 * trims pauses, then plays speech faster, until the delay is gone. If an utterance would have to wait longer than
 * `maxLagMs`, the oldest unstarted ones are dropped whole. Without delay, frames pass unchanged.
 */
export class TranslationQueue {
  readonly #queue: QueuedSpeech[] = []
  readonly #events: LaneEvents
  readonly #maxLagMs: number
  readonly #now: () => number
  readonly #catchesUp: boolean
  readonly #pace = new CatchUpController()
  /** Created on the first delay. */
  #hurried: TimeCompressedSpeech | undefined
  /** Playback is time-compressed. */
  #hurrying = false
  #frames = 0
  /** An underrun in the middle of an utterance. */
  #dry = false
  #starving = false

  constructor(maxLagMs: number, events: LaneEvents, { now, catchUp = true }: LaneTiming = {}) {
    if (!(maxLagMs > 0)) throw new RangeError(`maxLagMs must be above 0, got ${maxLagMs}`)
    this.#maxLagMs = maxLagMs
    this.#events = events
    this.#now = now ?? (() => this.#frames * FRAME_MS)
    this.#catchesUp = catchUp
  }

  /** Holds a reader of `speech` until playback ends or `speech` is dropped. */
  enqueue(speech: SpokenUtterance): void {
    this.#queue.push(new QueuedSpeech(speech, this.#now()))
    this.#bound()
  }

  /** Known audio that waits here (ms). */
  get backlogMs(): number {
    let sum = this.#bufferedMs
    for (let n = 0; n < this.#queue.length; n++) sum += this.#queue[n]!.leftMs
    return sum
  }

  /**
   * The delay of the queue (ms): the largest difference between the time at which an utterance is, or at the current
   * rate will be, played and the earliest possible time after its arrival. 0 while everything plays on arrival.
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

  /** The current playback speed, 1 to 1.25 times the original. */
  get factor(): number {
    return this.#pace.now.factor
  }

  /** True while pauses are trimmed. */
  get trimming(): boolean {
    return this.#pace.now.trim
  }

  /** Time saved so far by trimming pauses (ms). */
  get pausesTrimmedMs(): number {
    return this.#hurried?.pausesTrimmedMs ?? 0
  }

  /** Time saved so far by faster playback (ms). */
  get timeCompressedMs(): number {
    return this.#hurried?.timeCompressedMs ?? 0
  }

  get empty(): boolean {
    return this.#queue.length === 0
  }

  /** True in the middle of an utterance, or with one ready to start. */
  get active(): boolean {
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      if (!first.taken || first.at > 0) return first.at > 0 || first.speech.audio.frames > 0
      this.#finish(first)
    }
    return false
  }

  /** True in the middle of an utterance, after its start was played. */
  get midway(): boolean {
    return this.#queue[0]?.begun ?? false
  }

  /** Loudness of the utterance being played (LUFS); undefined if there is none, or it is not measured. */
  get loudnessDb(): number | undefined {
    const first = this.#queue[0]
    return first?.begun ? first.speech.loudnessDb : undefined
  }

  /** Returns the next frame, valid until the following call; undefined if none is available. */
  next(): Int16Array | undefined {
    if (this.#queue.length === 0) return undefined
    if (this.#frames % LOOK_FRAMES === 0) {
      // Utterances grow while they arrive.
      if (this.#queue.length > 2) this.#bound()
      if (this.#catchesUp) this.#look()
    }
    const dry = this.#dry ? this.#queue[0] : undefined
    const frame = this.#hurrying ? this.#nextHurried() : this.#nextAsItIs()
    if (!frame) return undefined
    // An utterance that grows while it is spoken is not late for what was not there.
    if (dry && dry === this.#queue[0])
      dry.arrivedAt = Math.max(dry.arrivedAt, this.#now() - (dry.at - 1) * FRAME_MS)
    this.#frames++
    this.#dry = false
    this.#starving = false
    const saidAt = this.#queue[0]?.startedPart()
    if (saidAt !== undefined) this.#events.part?.(this.#queue[0]!.speech, saidAt)
    return frame
  }

  /** Call after the frame was copied: finishes an utterance whose last frame it was. */
  settle(): void {
    for (let first = this.#queue[0]; first?.begun && first.taken; first = this.#queue[0]) {
      if (this.#hurrying && !this.#hurried!.passed(first)) return
      this.#finish(first)
    }
  }

  /** The underrun, if any, becomes audible: the peer has run dry, or other audio is sent. */
  missed(): void {
    const first = this.#queue[0]
    if (!first || !this.#dry || this.#starving) return
    this.#starving = true
    this.#events.starved(first.speech)
  }

  /**
   * Audio already read was not played after all: plays `unheard` again, each from its start, then the rest of the
   * queue. Other readers must keep each from its start.
   */
  again(unheard: readonly SpokenUtterance[]): void {
    this.#hurried?.clear()
    this.#rest()
    this.#dry = this.#starving = false
    const { queue, lost } = restart(unheard, this.#queue.splice(0), this.#now())
    this.#queue.push(...queue)
    for (const speech of lost) this.#events.dropped(speech)
  }

  /** Drops everything, including the utterance being played. */
  clear(): void {
    this.#hurried?.clear()
    this.#rest()
    while (this.#queue.length > 0) this.#drop(0)
  }

  get #bufferedMs(): number {
    return this.#hurrying ? this.#hurried!.bufferedMs : 0
  }

  /** Drops the oldest utterances that have not started, until the newest one no longer exceeds the maximum wait. */
  #bound(): void {
    while (this.#waitMs(this.#queue.length - 1) > this.#maxLagMs) {
      const oldest = this.#queue.findIndex(queued => queued.at === 0)
      if (oldest < 1 || oldest === this.#queue.length - 1) return
      this.#drop(oldest)
    }
  }

  /** Wait of utterance `index` for those before it at the current rate, including audio already read ahead (ms). */
  #waitMs(index: number): number {
    let sum = this.#bufferedMs
    for (let n = 0; n < index; n++) sum += this.#queue[n]!.leftMs
    return sum / this.factor
  }

  /** Audio available for continuous playback (ms). */
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
      this.#hurried = new TimeCompressedSpeech(this.#queue, queued => this.#begin(queued))
    }
    this.#hurried.pace = pace
    // Returns to unchanged frames once the audio read ahead is used up.
    this.#hurrying = !this.#pace.atRest || this.#hurried.bufferedMs > 0
  }

  #rest(): void {
    this.#pace.reset()
    this.#hurrying = false
    this.#frames = 0
  }

  #nextAsItIs(): Int16Array | undefined {
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      const frame = first.reader.next()
      if (frame) {
        if (!first.begun) this.#begin(first)
        return frame
      }
      if (!first.taken) {
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
