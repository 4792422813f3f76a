import { ahead } from '../audio-packet.ts'

/** Samples per millisecond: 16 kHz. */
const PER_MS = 16
/** Unit in which surplus audio is skipped (20 ms). */
const BLOCK = 20 * PER_MS
const CAPACITY = 4_000 * PER_MS
/** The server’s regular lead plus a margin, tolerated above the target (ms). */
const LEAD_MS = 300
/** Level below which a block can be skipped inaudibly. */
const QUIET = 220
/** Duration of fade-out and fade-in around interruptions (5 ms). */
const EDGE = 5 * PER_MS
/** Playing time without underrun after which the target shrinks (samples: 10 s). */
const CALM = 10_000 * PER_MS

export interface JitterOptions {
  /** Initial, minimum and maximum target (ms). */
  readonly startMs?: number
  readonly leastMs?: number
  readonly mostMs?: number
  /** Called when all audio before the mark `id` has been pulled. */
  readonly heard?: (id: number) => void
}

/**
 * Turns bursts of audio into an even stream. Playback starts when the target is buffered or has been waited for. The
 * target grows after an underrun during speech and shrinks in quiet periods. If audio accumulates, because clocks
 * differ or the network stalled, quiet blocks are skipped. Pure: the caller of `pull` is the clock.
 */
export class JitterBuffer {
  /** Number of underruns during speech. */
  underruns = 0
  /** Samples skipped. */
  skipped = 0
  readonly #ring = new Int16Array(CAPACITY)
  readonly #least: number
  readonly #most: number
  readonly #heard: (id: number) => void
  /** Marks with the number of samples before them, since the start. */
  readonly #marks: { id: number; at: number }[] = []
  #target: number
  #read = 0
  #written = 0
  #playing = false
  /** Samples pulled while waiting for the target. */
  #waited = 0
  #calm = 0
  /** Timestamp at which the next contiguous message starts; undefined after a flush. */
  #next: number | undefined
  #last = 0
  #rest = 0
  #rise = 0

  constructor({ startMs = 60, leastMs = 40, mostMs = 240, heard = () => {} }: JitterOptions = {}) {
    if (!(leastMs > 0 && leastMs <= startMs && startMs <= mostMs && mostMs < 2_000))
      throw new RangeError(
        `expected 0 < leastMs <= startMs <= mostMs < 2000, got ${leastMs}, ${startMs}, ${mostMs}`,
      )
    this.#least = leastMs * PER_MS
    this.#most = mostMs * PER_MS
    this.#target = startMs * PER_MS
    this.#heard = heard
  }

  get bufferedMs(): number {
    return (this.#written - this.#read) / PER_MS
  }

  /** Current target (ms). */
  get targetMs(): number {
    return this.#target / PER_MS
  }

  /** Copies `pcm`, whose first sample has `timestamp` on the sender’s clock. */
  push(pcm: Int16Array, timestamp: number): void {
    const late = this.#next !== undefined && ahead(timestamp, this.#next) <= 0
    if (late && !this.#playing && this.#written === this.#read) this.#ranDry()
    this.#next = timestamp + pcm.length
    const over = this.#written - this.#read + pcm.length - CAPACITY
    if (over > 0) this.#skip(over)
    for (let n = 0; n < pcm.length; n++) this.#ring[(this.#written + n) % CAPACITY] = pcm[n]!
    this.#written += pcm.length
  }

  /** Calls `heard(id)` when all audio pushed before has been pulled. */
  mark(id: number): void {
    this.#marks.push({ id, at: this.#written })
    this.#tellMarks()
  }

  /** Discards unplayed audio and its marks. */
  flush(): void {
    this.#marks.length = 0
    this.#read = this.#written
    this.#next = undefined
    this.#stop()
  }

  /** The sender’s clock restarts; buffered audio is still played. */
  begin(): void {
    this.#next = undefined
  }

  /** Fills `out`, padded with silence. */
  pull(out: Int16Array): void {
    let done = 0
    while (done < out.length) {
      if (!this.#playing && !this.#mayPlay(out.length - done)) break
      this.#passOver()
      const count = Math.min(out.length - done, this.#written - this.#read)
      for (let n = 0; n < count; n++) out[done + n] = this.#risen(this.#ring[(this.#read + n) % CAPACITY]!)
      done += count
      this.#read += count
      this.#calmed(count)
      if (count > 0) this.#last = out[done - 1]!
      if (this.#read === this.#written) this.#stop()
      this.#tellMarks()
    }
    for (; done < out.length; done++) out[done] = this.#fading()
  }

  #mayPlay(pulled: number): boolean {
    const inHand = this.#written - this.#read
    if (inHand === 0) return false
    this.#waited += pulled
    if (inHand < this.#target && this.#waited <= this.#target) return false
    this.#playing = true
    this.#waited = 0
    return true
  }

  #ranDry(): void {
    this.underruns++
    this.#calm = 0
    this.#rise = EDGE
    this.#target = Math.min(this.#most, this.#target + BLOCK)
  }

  #calmed(samples: number): void {
    this.#calm += samples
    if (this.#calm < CALM) return
    this.#calm = 0
    this.#target = Math.max(this.#least, this.#target - BLOCK / 2)
  }

  #stop(): void {
    this.#playing = false
    this.#waited = 0
    this.#rest = EDGE
  }

  /** Skips quiet blocks while too much is buffered. */
  #passOver(): void {
    while (this.#written - this.#read > this.#target + LEAD_MS * PER_MS) {
      for (let n = 0; n < BLOCK; n++) if (Math.abs(this.#ring[(this.#read + n) % CAPACITY]!) > QUIET) return
      this.#skip(BLOCK)
    }
  }

  #skip(samples: number): void {
    this.#read += samples
    this.skipped += samples
    this.#rise = EDGE
    this.#tellMarks()
  }

  #tellMarks(): void {
    while (this.#marks[0] !== undefined && this.#marks[0].at <= this.#read)
      this.#heard(this.#marks.shift()!.id)
  }

  #risen(sample: number): number {
    return this.#rise === 0 ? sample : Math.round(sample * (1 - this.#rise-- / EDGE))
  }

  #fading(): number {
    if (this.#rest === 0) return 0
    return Math.round((this.#last * --this.#rest) / EDGE)
  }
}
