import { TokenBucket } from '../../../common/rate-limit.ts'
import type { LegUplink } from '../../../core/model/leg.ts'
import { decodeMulaw, encodeMulaw } from '../../../transcode/g711.ts'
import { FRAME_SAMPLES, Framer, SAMPLE_RATE } from '../../../transcode/pcm.ts'
import { createResampler } from '../../../transcode/resample/resampler.ts'
import { Backlog } from '../../websocket/backlog.ts'
import type { StreamLimits } from '../limits.ts'
import type { StreamMessages } from '../ports/media-dialect.ts'
import type { LegCounters } from './stream-socket.ts'

/** Sample rate of the phone line. */
export const LINE_RATE = 8_000

// Shared by all legs: holds data only while one message is built. Grows to the largest message.
let bytes = Buffer.allocUnsafeSlow(1_600)

/** Encodes audio for the participant: 16 kHz in, media messages with µ-law out. */
export class Downlink {
  readonly #resampler = createResampler(SAMPLE_RATE, LINE_RATE)
  readonly #messages: StreamMessages

  constructor(messages: StreamMessages) {
    this.#messages = messages
  }

  /** Returns the media message with `frames`, with half as many samples. */
  encode(frames: Int16Array): string | Buffer {
    const pcm = this.#resampler.process(frames)
    if (pcm.length > bytes.length) bytes = Buffer.allocUnsafeSlow(pcm.length)
    encodeMulaw(pcm, bytes)
    return this.#messages.media(bytes, pcm.length)
  }
}

/** Samples per millisecond on the phone line. */
const SAMPLES_PER_MS = 8
/** Deviations below half a frame are rounding jitter, not gaps. */
const TOLERANCE = 10 * SAMPLES_PER_MS
/** A jump further back than this means that the clock was reset. */
const REWIND = 1_000 * SAMPLES_PER_MS
/** Number of consecutive late messages that means the clock was reset (1 s of 20 ms messages). */
const MAX_LATE = 50

/**
 * Positions each piece of audio on the stream’s own clock (`media.timestamp`, which need not start at 0 nor be a
 * multiple of 20). After `place`, `fill` and `skip` hold the result. All counts are samples at 8 kHz.
 */
export class MediaClock {
  /** Missing samples before the piece, to be filled with silence. */
  fill = 0
  /** Leading samples of the piece that were received before; the whole piece if it is a repetition. */
  skip = 0
  /** True if the clock jumped so far that the piece restarts it. */
  jumped = false
  readonly #maxGap: number
  #expected = Number.NaN
  #late = 0

  constructor(maxGapMs: number) {
    this.#maxGap = maxGapMs * SAMPLES_PER_MS
  }

  /** Positions a piece of `samples` at `timestampMs`; NaN means directly after the previous one. */
  place(timestampMs: number, samples: number): void {
    this.fill = 0
    this.skip = 0
    this.jumped = false
    const at = timestampMs * SAMPLES_PER_MS
    const offset = at - this.#expected
    if (Number.isNaN(offset)) {
      // The first piece, or one without a timestamp.
      this.#expected = (Number.isNaN(at) ? this.#expected : at) + samples
      return
    }
    if (offset > this.#maxGap || offset < -REWIND || (offset <= -TOLERANCE && this.#late >= MAX_LATE)) {
      this.jumped = true
      this.#late = 0
      this.#expected = at + samples
      return
    }
    if (offset <= -TOLERANCE) {
      this.#late++
      this.skip = Math.min(samples, -offset)
      this.#expected += samples - this.skip
      return
    }
    this.#late = 0
    if (offset >= TOLERANCE) this.fill = offset
    this.#expected += this.fill + samples
  }
}

const PER_MS = LINE_RATE / 1000
/** 20 ms on the line. */
const BLOCK = 160
/** Maximum rate of audio (ms per second of real time); the sender’s clock is not ours. */
const FASTEST_MS = 1_050
/** Maximum audio accepted at once after a network stall (ms). */
const BURST_MS = 5_000
/** Maximum silence fed per call (ms), so that a stalled process does not catch up on all of it. */
const MOST_FED_MS = 1_000

// Shared by all legs: they hold data only while one message is processed, synchronously.
const BYTES = Buffer.allocUnsafeSlow(65_536)
const BLOCK_PCM = new Int16Array(BLOCK)
const BLOCK_SILENCE = new Int16Array(BLOCK)

/**
 * Converts the participant’s audio: µ-law on the media clock in, 20 ms frames of 16 kHz out. Silence fills
 * missing time, so that frames keep up with the clock. Synchronous; allocates nothing for a message of 20 ms.
 */
export class Uplink {
  readonly #counters: LegCounters
  readonly #limits: StreamLimits
  readonly #timeline: MediaClock
  readonly #resampler = createResampler(LINE_RATE, SAMPLE_RATE)
  readonly #framer: Framer
  #sink: LegUplink | undefined
  /** Remaining audio allowance (ms): media time can run ahead of real time by a full gap and a burst. */
  readonly #allowance: TokenBucket
  readonly #backlog: Backlog
  /** Time of the last media, and silence fed since then (ms). */
  #mediaAt: number
  #fedMs = 0

  constructor(counters: LegCounters, limits: StreamLimits, now: number) {
    this.#counters = counters
    this.#limits = limits
    this.#timeline = new MediaClock(limits.maxGapMs)
    this.#allowance = new TokenBucket(FASTEST_MS, limits.maxGapMs + BURST_MS, now)
    this.#backlog = new Backlog(now)
    this.#mediaAt = now
    this.#framer = new Framer(FRAME_SAMPLES, frame => {
      this.#counters.framesIn++
      this.#sink?.write(frame)
    })
  }

  attach(sink: LegUplink): void {
    this.#sink = sink
  }

  /**
   * Processes one media message at `now` (ms); keeps no part of it. Returns false if `payload` is not base64; 20 ms of silence replace it.
   */
  write(timestampMs: number, payload: string | Buffer, now: number): boolean {
    const ms = (typeof payload === 'string' ? (payload.length * 3) / 4 : payload.length) / PER_MS
    if (this.#backlog.outdated(timestampMs, ms, now)) {
      this.#counters.backlogDroppedMs += Math.floor(ms)
      return true
    }
    const bytes = typeof payload === 'string' ? BYTES : payload
    const decoded = typeof payload === 'string' ? decodeBase64(payload) : payload.length
    const samples = decoded < 0 ? BLOCK : decoded
    const timeline = this.#timeline
    timeline.place(timestampMs, samples)
    this.#mediaAt = now
    if (timeline.jumped) this.#counters.pauses++
    if (timeline.fill > 0) this.#fill(timeline.fill, now)
    this.#fedMs = 0
    if (timeline.skip > 0) this.#counters.duplicates++
    if (this.#allowance.take(now, (samples - timeline.skip) / PER_MS) < 0) this.#counters.floodDropped++
    else if (decoded < 0) this.#silence(samples - timeline.skip)
    else this.#decode(bytes.length === samples ? bytes : bytes.subarray(0, samples), timeline.skip)
    return decoded >= 0
  }

  /** Feeds the silence due at `now` if no media arrives, so that the service detects the pause. */
  watch(now: number): void {
    const quietMs = now - this.#mediaAt
    if (quietMs < this.#limits.silenceAfterMs) return
    const dueMs = Math.min(MOST_FED_MS, Math.floor((quietMs - this.#fedMs) / 20) * 20)
    this.#fedMs += dueMs
    this.#counters.silenceFedMs += dueMs
    this.#silence(dueMs * PER_MS)
  }

  #fill(samples: number, now: number): void {
    const missing = Math.min(samples - this.#fedMs * PER_MS, Math.floor(this.#allowance.left(now) * PER_MS))
    if (missing <= 0) return
    this.#allowance.take(now, missing / PER_MS)
    this.#counters.gapsFilledMs += missing / PER_MS
    this.#silence(missing)
  }

  #decode(bytes: Buffer, from: number): void {
    if (from === 0 && bytes.length === BLOCK) {
      decodeMulaw(bytes, BLOCK_PCM)
      this.#emit(BLOCK_PCM)
      return
    }
    for (let at = from; at < bytes.length; at += BLOCK) {
      const block = bytes.subarray(at, at + BLOCK)
      decodeMulaw(block, BLOCK_PCM)
      this.#emit(block.length === BLOCK ? BLOCK_PCM : BLOCK_PCM.subarray(0, block.length))
    }
  }

  #silence(samples: number): void {
    for (let left = samples; left > 0; left -= BLOCK)
      this.#emit(left >= BLOCK ? BLOCK_SILENCE : BLOCK_SILENCE.subarray(0, left))
  }

  #emit(pcm: Int16Array): void {
    this.#framer.write(this.#resampler.process(pcm))
  }
}

/** Decodes into `BYTES`; returns the number of bytes, or -1 if `text` is not base64, with or without padding. */
function decodeBase64(text: string): number {
  let length = text.length
  if (length > 0 && text.charCodeAt(length - 1) === 61) length--
  if (length > 0 && text.charCodeAt(length - 1) === 61) length--
  if (length % 4 === 1) return -1
  const expected = (length * 3) >> 2
  // The decoder skips characters that are not base64, so a shortfall reveals them.
  return BYTES.write(text, 0, BYTES.length, 'base64') === expected ? expected : -1
}
