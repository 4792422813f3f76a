import { TokenBucket } from '../../common/rate-limit.ts'
import type { LegUplink } from '../../core/model/leg.ts'
import { FRAME_MS, FRAME_SAMPLES, SILENT_FRAME } from '../../transcode/pcm.ts'
import { Backlog } from '../websocket/backlog.ts'
import { ahead, HEADER_BYTES, MOST_FRAMES, writeHeader } from './audio-packet.ts'
import type { BrowserLimits } from './settings.ts'
import type { LegCounters } from './socket.ts'

/** Samples per millisecond. */
const PER_MS = 16

/** Encodes audio for the participant. Each message carries the time at which a peer without delay would play it. */
export class Downlink {
  #sequence = 0
  #begin: number | undefined
  /** Playback end of all audio sent so far, relative to the first message (samples). */
  #end = 0

  /** Encodes `frames` as one message at `now` (ms). The socket owns the returned buffer. */
  encode(frames: Int16Array, now: number): Buffer {
    this.#begin ??= now
    const at = Math.max(this.#end, Math.round((now - this.#begin) * PER_MS))
    this.#end = at + frames.length
    const message = Buffer.allocUnsafe(HEADER_BYTES + frames.byteLength)
    writeHeader(new DataView(message.buffer, message.byteOffset, HEADER_BYTES), this.#sequence++, at)
    message.set(new Uint8Array(frames.buffer, frames.byteOffset, frames.byteLength), HEADER_BYTES)
    return message
  }

  /** Discards audio that has not been played. */
  flush(now: number): void {
    if (this.#begin !== undefined) this.#end = Math.round((now - this.#begin) * PER_MS)
  }
}

/** Maximum rate of audio (ms per second of real time); the page’s clock is not ours. */
const FASTEST_MS = 1_050
/** Maximum audio accepted at once after a network stall (ms). */
const BURST_MS = 5_000
/** A jump further back than this means that the page’s clock was reset (samples: 2 s). */
const REWIND = 32_000
/** Maximum silence fed per call (ms), so that a stalled process does not catch up on all of it. */
const MOST_FED_MS = 1_000

// Shared by all legs: they hold data only while one message is processed, synchronously.
const BYTES = Buffer.allocUnsafeSlow(MOST_FRAMES * FRAME_SAMPLES * 2)
const FRAMES = Array.from(
  { length: MOST_FRAMES },
  (_, n) => new Int16Array(BYTES.buffer, n * FRAME_SAMPLES * 2, FRAME_SAMPLES),
)

/**
 * Converts the participant’s audio: messages on the page’s clock in, 20 ms frames out. Silence fills missing time, so
 * that frames keep up with the clock. Synchronous; allocates nothing.
 */
export class Uplink {
  readonly #counters: LegCounters
  readonly #limits: BrowserLimits
  readonly #allowance: TokenBucket
  readonly #backlog: Backlog
  #sink: LegUplink | undefined
  /** Timestamp of the next frame; undefined before the first. */
  #expected: number | undefined
  #heardAt: number
  #fedMs = 0

  constructor(counters: LegCounters, limits: BrowserLimits, now: number) {
    this.#counters = counters
    this.#limits = limits
    this.#allowance = new TokenBucket(FASTEST_MS, limits.maxGapMs + BURST_MS, now)
    this.#backlog = new Backlog(now)
    this.#heardAt = now
  }

  attach(sink: LegUplink): void {
    this.#sink = sink
  }

  /** Processes one audio message of valid length at `now` (ms). */
  write(message: Buffer, now: number): void {
    const at = message.readUInt32LE(4)
    const count = (message.length - HEADER_BYTES) / (FRAME_SAMPLES * 2)
    if (this.#backlog.outdated(at / PER_MS, count * FRAME_MS, now)) {
      this.#counters.backlogDroppedMs += count * FRAME_MS
      return
    }
    message.copy(BYTES, 0, HEADER_BYTES)
    this.#heardAt = now
    const skip = this.#place(at, count, now)
    this.#fedMs = 0
    for (let n = skip; n < count; n++) this.#emit(FRAMES[n]!, now)
  }

  /** Feeds the silence due at `now` if no audio arrives, so that the service detects the pause. */
  watch(now: number): void {
    const quietMs = now - this.#heardAt
    if (quietMs < this.#limits.silenceAfterMs) return
    const until = Math.min(quietMs, this.#fedMs + MOST_FED_MS)
    for (; this.#fedMs + FRAME_MS <= until; this.#fedMs += FRAME_MS) {
      this.#counters.silenceFedMs += FRAME_MS
      this.#counters.framesIn++
      this.#sink?.write(SILENT_FRAME)
    }
  }

  /** Fills the gap before the message; returns the number of its frames that were received before. */
  #place(at: number, count: number, now: number): number {
    const offset = this.#expected === undefined ? 0 : ahead(at, this.#expected)
    if (offset > this.#limits.maxGapMs * PER_MS || offset < -REWIND) {
      this.#counters.pauses++
      this.#expected = at + count * FRAME_SAMPLES
      return 0
    }
    const skip = Math.min(count, Math.max(0, Math.ceil(-offset / FRAME_SAMPLES)))
    if (skip > 0) this.#counters.duplicates++
    this.#expected = Math.max(0, offset) + (this.#expected ?? at) + (count - skip) * FRAME_SAMPLES
    let missingMs = Math.max(0, offset) / PER_MS - this.#fedMs
    for (; missingMs >= FRAME_MS; missingMs -= FRAME_MS) {
      this.#counters.gapsFilledMs += FRAME_MS
      this.#emit(SILENT_FRAME, now)
    }
    return skip
  }

  #emit(frame: Int16Array, now: number): void {
    if (this.#allowance.take(now, FRAME_MS) < 0) {
      this.#counters.floodDropped++
      return
    }
    this.#counters.framesIn++
    this.#sink?.write(frame)
  }
}
