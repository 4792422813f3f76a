import { ahead } from '../packet.ts'

/** Samples a millisecond: 16 kHz. */
const PER_MS = 16
/** What is passed over as a whole when there is too much (20 ms). */
const BLOCK = 20 * PER_MS
const CAPACITY = 4_000 * PER_MS
/** Above what is wanted, the server sends this far ahead of its own accord, and a little more is no harm (ms). */
const LEAD_MS = 300
/** Quieter than this a block can be left out without anybody missing it. */
const QUIET = 220
/** How long a voice that breaks off takes to come to rest, and one that comes back to be there (5 ms). */
const EDGE = 5 * PER_MS
/** Without running dry for so long, less is kept in hand (samples played: 10 s). */
const CALM = 10_000 * PER_MS

export interface JitterOptions {
  /** Kept in hand at first, at least and at most (ms). */
  readonly startMs?: number
  readonly leastMs?: number
  readonly mostMs?: number
  /** All before the mark `id` has been pulled. */
  readonly heard?: (id: number) => void
}

/**
 * Makes an even stream of audio that comes in bursts. It begins to play when enough is in hand, or has waited as long; keeps more
 * when it ran dry in the midst of something, less when all is calm; and when more and more comes than is played, since the
 * clocks differ or the network was stuck, leaves out what is quiet. Pure: who pulls is the clock.
 */
export class JitterBuffer {
  /** It ran dry in the midst of something. */
  underruns = 0
  /** Samples that were left out. */
  skipped = 0
  readonly #ring = new Int16Array(CAPACITY)
  readonly #least: number
  readonly #most: number
  readonly #heard: (id: number) => void
  /** Marks and the samples before them, since the beginning. */
  readonly #marks: { id: number; at: number }[] = []
  #target: number
  #read = 0
  #written = 0
  #playing = false
  /** Samples pulled while what is in hand waited. */
  #waited = 0
  #calm = 0
  /** Where on the sender's clock the next message belongs that continues the last; undefined after a flush. */
  #next: number | undefined
  #last = 0
  #rest = 0
  #rise = 0

  constructor({ startMs = 60, leastMs = 40, mostMs = 240, heard = () => {} }: JitterOptions = {}) {
    if (!(leastMs > 0 && leastMs <= startMs && startMs <= mostMs && mostMs < 2_000))
      throw new RangeError(
        `0 < leastMs <= startMs <= mostMs < 2000 must hold, got ${leastMs}, ${startMs}, ${mostMs}`,
      )
    this.#least = leastMs * PER_MS
    this.#most = mostMs * PER_MS
    this.#target = startMs * PER_MS
    this.#heard = heard
  }

  get bufferedMs(): number {
    return (this.#written - this.#read) / PER_MS
  }

  /** What is kept in hand now (ms). */
  get targetMs(): number {
    return this.#target / PER_MS
  }

  /** Takes `pcm`, whose first sample belongs at `timestamp` on the sender's clock; copies it. */
  push(pcm: Int16Array, timestamp: number): void {
    const late = this.#next !== undefined && ahead(timestamp, this.#next) <= 0
    if (late && !this.#playing && this.#written === this.#read) this.#ranDry()
    this.#next = timestamp + pcm.length
    const over = this.#written - this.#read + pcm.length - CAPACITY
    if (over > 0) this.#skip(over)
    for (let n = 0; n < pcm.length; n++) this.#ring[(this.#written + n) % CAPACITY] = pcm[n]!
    this.#written += pcm.length
  }

  /** `heard(id)` is called when all that was pushed before has been pulled. */
  mark(id: number): void {
    this.#marks.push({ id, at: this.#written })
    this.#tellMarks()
  }

  /** What was pushed and not pulled is not wanted any more; its marks are forgotten. */
  flush(): void {
    this.#marks.length = 0
    this.#read = this.#written
    this.#next = undefined
    this.#stop()
  }

  /** The sender's clock begins anew; what is in hand is still played. */
  begin(): void {
    this.#next = undefined
  }

  /** Fills `out`, with silence where there is nothing to play. */
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

  /** Leaves out the next block while there is too much, if nobody will miss it. */
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
