import { durationMs, FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE } from '../../../transcode/pcm.ts'

/** A frame is loud if its level (RMS) is above this, and above the noise floor by this factor. */
const LEAST_RMS = 60
const OVER_FLOOR = 2.8
/** Noise floor of the line: falls fast, rises slowly; at least `least`, initially at most `firstMost`. */
const FLOOR = { least: 8, first: 10, firstMost: 200, fall: 0.2, rise: 1.003, creep: 0.02 }
/** Consecutive loud frames that start speech; the audio shortly before belongs to it (300 ms). */
const ONSET_FRAMES = 3
const LEAD_SAMPLES = (SAMPLE_RATE * 300) / 1000
/** Minimum number of loud frames of an utterance; a click has fewer. */
const LEAST_LOUD_FRAMES = 6
/** Part of the pause after an utterance that belongs to it (160 ms). */
const TAIL_SAMPLES = (SAMPLE_RATE * 160) / 1000
/** A frame at this fraction of the utterance's maximum level is a good place to cut. */
const SOFT = 0.1

const MOST_MS = 15_000

export interface EndpointerOptions {
  /** Pause that ends an utterance (ms). */
  readonly pauseMs: number
  /** Length from which an utterance is cut at a quiet frame, from 1.5 times of it anywhere (ms). Default: 15 s. */
  readonly maxUtteranceMs?: number
}

/** An interval of speech with a short margin before and after. */
export interface Stretch {
  /** 16 kHz; owned by the receiver. */
  readonly pcm: Int16Array
  /** Positions in the audio written; intervals never overlap. */
  readonly startMs: number
  readonly endMs: number
}

/**
 * Splits 16 kHz audio into utterances by level alone, for engines that process whole utterances. Takes 1 to 2 µs per 20
 * ms. Loud music or noise counts as speech.
 *
 *   quiet ──three loud frames──▶ speaking ──pause, too long, or `finish`──▶ quiet
 */
export class EnergyEndpointer {
  readonly #options: EndpointerOptions
  readonly #said: (stretch: Stretch) => void
  /** Samples from `#from` on: the utterance in progress, otherwise a short lead-in of the next one. */
  #held: Int16Array = new Int16Array(SAMPLE_RATE)
  #length = 0
  #from = 0
  /** Number of samples in `#held` that have been classified. */
  #judged = 0
  #end = 0
  #floor: number | undefined
  #speaking = false
  #loudRun = 0
  #loudFrames = 0
  #quietFrames = 0
  #loudest = 0

  constructor(options: EndpointerOptions, said: (stretch: Stretch) => void) {
    this.#options = options
    this.#said = said
  }

  get speaking(): boolean {
    return this.#speaking
  }

  /** Length of the utterance in progress (ms); 0 during silence. */
  get heldMs(): number {
    return this.#speaking ? durationMs(this.#length) : 0
  }

  /** Accepts audio of any length and emits the utterances that end in it. Copies it. */
  write(pcm: Int16Array): void {
    this.#keep(pcm)
    while (this.#judged + FRAME_SAMPLES <= this.#length) {
      const frame = this.#held.subarray(this.#judged, this.#judged + FRAME_SAMPLES)
      this.#judged += FRAME_SAMPLES
      this.#judge(levelOf(frame))
    }
    if (!this.#speaking) this.#forget(this.#length - LEAD_SAMPLES - FRAME_SAMPLES * ONSET_FRAMES)
  }

  /** Ends the utterance in progress. */
  finish(): void {
    if (this.#speaking) this.#cut(this.#length)
  }

  /** Discards the utterance in progress. */
  drop(): void {
    this.#speaking = false
    this.#loudRun = 0
    this.#forget(this.#length)
  }

  #judge(level: number): void {
    const loud = this.#isLoud(level)
    this.#loudRun = loud ? this.#loudRun + 1 : 0
    if (!this.#speaking) {
      if (this.#loudRun >= ONSET_FRAMES) this.#begin()
      return
    }
    if (loud) this.#loudFrames++
    this.#quietFrames = loud ? 0 : this.#quietFrames + 1
    this.#loudest = Math.max(this.#loudest, level)
    const ms = durationMs(this.#judged)
    const { pauseMs, maxUtteranceMs = MOST_MS } = this.#options
    const pauseOver = this.#quietFrames * FRAME_MS >= pauseMs
    if (pauseOver) this.#cut(this.#judged - Math.max(0, this.#quietFrames * FRAME_SAMPLES - TAIL_SAMPLES))
    else if (ms > maxUtteranceMs * 1.5 || (ms > maxUtteranceMs && level < this.#loudest * SOFT))
      this.#cut(this.#judged)
  }

  #isLoud(level: number): boolean {
    const { first, firstMost, fall, rise, creep, least } = FLOOR
    const floor = this.#floor ?? Math.min(Math.max(level, first), firstMost)
    this.#floor = Math.max(least, level < floor ? floor * (1 - fall) + level * fall : floor * rise + creep)
    return level > Math.max(LEAST_RMS, this.#floor * OVER_FLOOR)
  }

  #begin(): void {
    this.#speaking = true
    this.#loudFrames = this.#loudRun
    this.#quietFrames = 0
    this.#loudest = 0
    this.#forget(this.#judged - ONSET_FRAMES * FRAME_SAMPLES - LEAD_SAMPLES)
  }

  /** Ends the utterance at offset `at` of the buffer. */
  #cut(at: number): void {
    const enough = this.#loudFrames >= LEAST_LOUD_FRAMES
    const startMs = Math.max(this.#end, Math.round(durationMs(this.#from)))
    const pcm = this.#held.slice(0, at)
    this.#speaking = false
    this.#loudRun = 0
    this.#forget(at)
    if (!enough) return
    this.#end = Math.round(durationMs(this.#from))
    this.#said({ pcm, startMs, endMs: this.#end })
  }

  #keep(pcm: Int16Array): void {
    if (this.#length + pcm.length > this.#held.length) {
      const larger = new Int16Array(Math.max(this.#held.length * 2, this.#length + pcm.length))
      larger.set(this.#held.subarray(0, this.#length))
      this.#held = larger
    }
    this.#held.set(pcm, this.#length)
    this.#length += pcm.length
  }

  /** Drops the first `count` samples of the buffer. */
  #forget(count: number): void {
    if (count <= 0) return
    this.#held.copyWithin(0, count, this.#length)
    this.#length -= count
    this.#from += count
    this.#judged = Math.max(0, this.#judged - count)
  }
}

function levelOf(frame: Int16Array): number {
  let sum = 0
  for (const sample of frame) sum += sample * sample
  return Math.sqrt(sum / frame.length)
}
