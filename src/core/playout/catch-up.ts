import { FRAME_MS, FRAME_SAMPLES } from '../../transcode/pcm.ts'
import { TimeStretcher } from '../../transcode/stretch/time-stretch.ts'
import type { QueuedSpeech } from './queued-utterance.ts'

/** Playback rate of a translation: unchanged, with pauses trimmed, or also faster than spoken. */
export interface PlaybackRate {
  readonly trim: boolean
  readonly factor: number
}

/** State of a translation queue from which its pace is chosen. */
export interface LaneState {
  /** Delay of the queued speech (ms). */
  readonly lagMs: number
  /** Difference from the recent average lag; negative while the lag decreases (ms). */
  readonly trendMs: number
  /** Audio that can be played without waiting for more (ms); Infinity if it is complete. */
  readonly aheadMs: number
}

/** All paces from normal to fastest: pauses are trimmed first, then speech speeds up in steps of 5 %. */
export const PACES: readonly PlaybackRate[] = [
  { trim: false, factor: 1 },
  { trim: true, factor: 1 },
  { trim: true, factor: 1.05 },
  { trim: true, factor: 1.1 },
  { trim: true, factor: 1.15 },
  { trim: true, factor: 1.2 },
  { trim: true, factor: 1.25 },
]
/** Lag from which each pace applies (ms). */
const FROM_MS = [0, 250, 600, 1_000, 1_400, 1_900, 2_500]
/** Hysteresis: a pace is kept until the lag falls below this share of the lag at which it applies. */
const UNTIL = 0.4
/** With less audio than this, playback returns to normal instead of draining the queue (ms). */
const STARVING_MS = 400

/** Index in `PACES` of the normal pace. */
export const REST = 0

/**
 * Returns the pace after `pace` (indexes of `PACES`), at most one step away, so that the change is inaudible. A growing
 * lag is extrapolated. Pure.
 */
export function nextRate(pace: number, { lagMs, trendMs, aheadMs }: LaneState): number {
  if (aheadMs < STARVING_MS) return REST
  const expected = lagMs + Math.max(0, trendMs)
  const up = FROM_MS[pace + 1]
  if (up !== undefined && expected >= up) return pace + 1
  if (pace > REST && lagMs < FROM_MS[pace]! * UNTIL) return pace - 1
  return pace
}

/** Minimum audio of an incomplete utterance before it directly follows the previous one (ms). */
const BEGIN_MS = 400

const ms = (samples: number) => (samples * FRAME_MS) / FRAME_SAMPLES

/**
 * Plays a queue's utterances in less time: reads slightly ahead, trims pauses within and between utterances, and speeds up
 * speech. At a faster rate an utterance can start in the middle of a frame; at normal rate each starts with a new frame.
 */
export class TimeCompressedSpeech {
  readonly #queue: readonly QueuedSpeech[]
  readonly #begin: (queued: QueuedSpeech) => void
  readonly #stretch = new TimeStretcher(() => this.#readAhead())
  readonly #frame = new Int16Array(FRAME_SAMPLES)
  #resting = true

  /** The caller keeps ownership of `queue`. `begin` is called when the first sample of an utterance is emitted. */
  constructor(queue: readonly QueuedSpeech[], begin: (queued: QueuedSpeech) => void) {
    this.#queue = queue
    this.#begin = begin
  }

  /** Sets the playback rate. */
  set pace({ trim, factor }: PlaybackRate) {
    this.#stretch.trimming = trim
    this.#stretch.factor = factor
    this.#resting = !trim && factor === 1
  }

  /** Duration of audio read ahead (ms). */
  get bufferedMs(): number {
    return ms(this.#stretch.buffered)
  }

  get pausesTrimmedMs(): number {
    return ms(this.#stretch.trimmed)
  }

  get timeCompressedMs(): number {
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

/** Smoothing factor of the average lag per check (10 per second): a lag of 3 s ago has a weight of one third. */
const FOLLOW = 1 / 30

/** Controls the pace of one translation queue by its lag. */
export class CatchUpController {
  #pace = REST
  /** Reused by each check, to avoid allocations. */
  readonly #state = { lagMs: 0, trendMs: 0, aheadMs: 0 }
  /** Recent average lag (ms). */
  #usualMs = 0

  get now(): PlaybackRate {
    return PACES[this.#pace]!
  }

  get atRest(): boolean {
    return this.#pace === REST
  }

  /** Updates the pace. Called ten times per second during playback. */
  look(lagMs: number, aheadMs: number): PlaybackRate {
    this.#state.lagMs = lagMs
    this.#state.aheadMs = aheadMs
    this.#state.trendMs = lagMs - this.#usualMs
    this.#usualMs += (lagMs - this.#usualMs) * FOLLOW
    this.#pace = nextRate(this.#pace, this.#state)
    return this.now
  }

  /** Returns to the normal pace, because the queue is empty. */
  reset(): void {
    this.#pace = REST
    this.#usualMs = 0
  }
}
