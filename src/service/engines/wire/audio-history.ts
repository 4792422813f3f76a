import { durationMs, SAMPLE_RATE } from '../../../transcode/pcm.ts'

/**
 * The recent audio of a stream by position, so that a new connection can repeat what the previous one had not answered.
 * 16 kHz; positions are samples since the start of the stream.
 */
export class AudioHistory {
  #pieces: Int16Array[] = []
  #start = 0
  #end = 0

  /** Position of the oldest sample kept. */
  get start(): number {
    return this.#start
  }

  /** Position after the newest sample: the number of samples written so far. */
  get end(): number {
    return this.#end
  }

  /** Adds a copy of `pcm`. */
  push(pcm: Int16Array): void {
    if (pcm.length === 0) return
    this.#pieces.push(pcm.slice())
    this.#end += pcm.length
  }

  /** Calls `use` with the audio from `position` on, at most up to `to`, in order. The pieces are borrowed. */
  read(position: number, to: number, use: (pcm: Int16Array) => void): void {
    let at = this.#start
    for (const piece of this.#pieces) {
      const from = Math.max(0, position - at)
      const until = Math.min(piece.length, to - at)
      if (from < until) use(piece.subarray(from, until))
      at += piece.length
    }
  }

  /** Drops whole pieces before `position`. */
  forget(position: number): void {
    let count = 0
    for (const piece of this.#pieces) {
      if (this.#start + piece.length > position) break
      this.#start += piece.length
      count++
    }
    if (count > 0) this.#pieces.splice(0, count)
  }
}

/** Returns the number of 16 kHz samples in `ms`. */
export function samplesIn(ms: number): number {
  return Math.round((ms * SAMPLE_RATE) / 1_000)
}

/**
 * Translates positions in the audio that a connection received into positions of the stream. They differ by the
 * stream's position at its start, and by the silence that is inserted while no audio arrives.
 */
export class PositionMap {
  /** From `received` on (ms of the connection), the stream's position is `stream` and runs on. */
  readonly #anchors: { readonly receivedMs: number; readonly streamMs: number }[]
  #sentMs = 0
  #streamMs: number

  /** `start`: position of the first sample (samples of the stream). */
  constructor(start: number) {
    this.#streamMs = durationMs(start)
    this.#anchors = [{ receivedMs: 0, streamMs: this.#streamMs }]
  }

  /** Audio sent on this connection, with inserted silence (ms). */
  get sentMs(): number {
    return this.#sentMs
  }

  /** Records that `ms` of the stream were sent. */
  sent(ms: number): void {
    this.#sentMs += ms
    this.#streamMs += ms
  }

  /** Records that `ms` of silence were inserted. */
  inserted(ms: number): void {
    this.#sentMs += ms
    const last = this.#anchors.at(-1)!
    const anchor = { receivedMs: this.#sentMs, streamMs: this.#streamMs }
    if (last.streamMs === this.#streamMs && this.#anchors.length > 1) this.#anchors.pop()
    this.#anchors.push(anchor)
  }

  /** Returns the stream's position for `receivedMs` of the connection (ms). */
  streamMs(receivedMs: number): number {
    let index = this.#anchors.length - 1
    while (index > 0 && this.#anchors[index]!.receivedMs > receivedMs) index--
    const anchor = this.#anchors[index]!
    // During inserted silence, the position in the stream does not advance.
    const limit = this.#anchors[index + 1]?.streamMs ?? this.#streamMs
    return Math.min(limit, anchor.streamMs + Math.max(0, receivedMs - anchor.receivedMs))
  }
}
