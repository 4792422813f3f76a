import { BoundedMap } from '../../../common/bounded-map.ts'
import { FRAME_MS, FRAME_SAMPLES } from '../../../transcode/pcm.ts'

/** Maximum audio that waits (ms); the relay sends at most a second ahead of real time. */
const MAX_QUEUED_MS = 10_000
/** After a longer stall, the schedule starts again: what was due meanwhile would be played too fast (ms). */
const MAX_BEHIND_MS = 200
/** Maximum number of marks that wait. */
const MAX_MARKS = 1_000

/**
 * Holds audio for carriers without a queue and releases it in real time: one frame every 20 ms of the receiver’s clock, on an absolute schedule, so
 * that late timers do not slow it down. Marks and flushing happen here, since the carrier has neither. Keeps frames in a
 * ring that grows to the longest backlog; audio above `MAX_QUEUED_MS` replaces the oldest.
 */
export class StreamPacer {
  /** Marks by the number of the frame before which they are due. */
  readonly #marks = new BoundedMap<string, number>(MAX_MARKS)
  #ring = new Int16Array(16 * FRAME_SAMPLES)
  /** Numbers of the next frame to send and to write; each is in the ring at its remainder. */
  #next = 0
  #end = 0
  /** Samples in the frame at `#end`, which is incomplete. */
  #filled = 0
  /** Time at which the next frame is due (ms). */
  #dueAt = Number.NEGATIVE_INFINITY

  /** Audio that waits (ms). */
  get queuedMs(): number {
    return (this.#end - this.#next) * FRAME_MS
  }

  /** Queues audio of 16 kHz, which is copied. What does not fill a frame waits for more, or for a mark. */
  play(pcm: Int16Array): void {
    for (let at = 0; at < pcm.length; ) {
      if (this.#filled === 0) this.#makeRoom()
      const count = Math.min(FRAME_SAMPLES - this.#filled, pcm.length - at)
      this.#ring.set(pcm.subarray(at, at + count), this.#offset(this.#end) + this.#filled)
      at += count
      this.#filled += count
      if (this.#filled === FRAME_SAMPLES) this.#complete()
    }
  }

  /** Fills an incomplete frame up with silence. */
  mark(name: string): void {
    if (this.#filled > 0) {
      const start = this.#offset(this.#end)
      this.#ring.fill(0, start + this.#filled, start + FRAME_SAMPLES)
      this.#complete()
    }
    this.#marks.set(name, this.#end)
  }

  /** Drops everything that was not sent, and its marks. */
  flush(): void {
    this.#next = this.#end
    this.#filled = 0
    this.#marks.clear()
  }

  /**
   * Returns the next frame that is due at `now`, valid until more is played; undefined if none is. Call it until then, every
   * 20 ms or more often. The receiver’s clock is slow by `rate`.
   */
  next(now: number, rate = 0): Int16Array | undefined {
    if (now - this.#dueAt > MAX_BEHIND_MS) this.#dueAt = now
    if (this.#next === this.#end || this.#dueAt > now) return undefined
    const start = this.#offset(this.#next++)
    this.#dueAt += FRAME_MS * (1 + rate)
    return this.#ring.subarray(start, start + FRAME_SAMPLES)
  }

  /** Returns the marks, once each, before which all audio was sent and had its time to be played. */
  played(now: number): string[] {
    // The last frame plays until the next one is due.
    const played = this.#dueAt <= now ? this.#next : this.#next - 1
    const names: string[] = []
    for (const [name, at] of this.#marks) {
      if (at > played) break
      names.push(name)
    }
    for (const name of names) this.#marks.delete(name)
    return names
  }

  #offset(frame: number): number {
    return (frame % (this.#ring.length / FRAME_SAMPLES)) * FRAME_SAMPLES
  }

  #complete(): void {
    this.#end++
    this.#filled = 0
  }

  #makeRoom(): void {
    if (this.queuedMs >= MAX_QUEUED_MS) this.#next++
    this.#grow()
  }

  /** Doubles a full ring. */
  #grow(): void {
    const frames = this.#ring.length / FRAME_SAMPLES
    if (this.#end - this.#next < frames) return
    const larger = new Int16Array(this.#ring.length * 2)
    for (let frame = this.#next; frame < this.#end; frame++) {
      const start = this.#offset(frame)
      const to = (frame % (frames * 2)) * FRAME_SAMPLES
      larger.set(this.#ring.subarray(start, start + FRAME_SAMPLES), to)
    }
    this.#ring = larger
  }
}
