import { TokenBucket } from '../../../common/rate-limit.ts'
import type { LegUplink } from '../../../core/model/leg.ts'
import { FRAME_SAMPLES, Framer, SAMPLE_RATE } from '../../../transcode/pcm.ts'
import { createResampler, type Resampler } from '../../../transcode/resample/resampler.ts'
import { Backlog } from '../../websocket/backlog.ts'
import type { StreamLimits } from '../limits.ts'
import type { LineFormat, StreamMessages } from '../ports/media-dialect.ts'
import { type ClockDrift, SampleCorrector } from './clock-drift.ts'
import { type SampleCodec, sampleCodec } from './line-codec.ts'
import { MediaClock } from './media-clock.ts'
import type { LegCounters } from './stream-socket.ts'

// Shared by all legs: holds data only while one message is built. Grows to the largest message.
let bytes = Buffer.allocUnsafeSlow(1_600)

/** Encodes audio for the participant: 16 kHz in, media messages in the format of the line out. */
export class Downlink {
  readonly #resampler: Resampler
  readonly #codec: SampleCodec
  readonly #messages: StreamMessages
  readonly #drift: ClockDrift
  /** Telnyx, for example, takes no messages below 20 ms. */
  readonly #corrector = new SampleCorrector(FRAME_SAMPLES + 1)
  /** Samples to insert, as far as they follow from the audio sent so far. */
  #due = 0

  /** `drift`: of the carrier’s clock, which plays the audio. */
  constructor(messages: StreamMessages, { codec, rate }: LineFormat, drift: ClockDrift) {
    this.#messages = messages
    this.#drift = drift
    this.#codec = sampleCodec(codec)
    this.#resampler = createResampler(SAMPLE_RATE, rate)
  }

  /** Returns `frames` as long as the carrier’s clock needs them; valid until the next call for any leg. */
  correct(frames: Int16Array): Int16Array {
    // A slow carrier plays less in our time: it gets less.
    this.#due -= frames.length * this.#drift.rate
    return this.#corrector.correct(frames, this.#due)
  }

  /** Returns the media message with `frames`, resampled to the rate of the line. */
  encode(frames: Int16Array): string | Buffer {
    const pcm = this.#resampler.process(frames)
    const length = pcm.length * this.#codec.bytesPerSample
    if (length > bytes.length) bytes = Buffer.allocUnsafeSlow(length)
    this.#codec.encode(pcm, bytes)
    return this.#messages.media(bytes, length)
  }
}

/** 20 ms at the highest rate of a line. */
const MAX_BLOCK = 320
/** Maximum rate of audio (ms per second of real time); the sender’s clock is not ours. */
const FASTEST_MS = 1_050
/** Maximum audio accepted at once after a network stall (ms). */
const BURST_MS = 5_000
/** Maximum silence fed per call (ms), so that a stalled process does not catch up on all of it. */
const MOST_FED_MS = 1_000

// Shared by all legs: they hold data only while one message is processed, synchronously.
const BYTES = Buffer.allocUnsafeSlow(65_536)
const BLOCK_PCM = new Int16Array(MAX_BLOCK)
const BLOCK_SILENCE = new Int16Array(MAX_BLOCK)

/**
 * Converts the participant’s audio: that of the line on the media clock in, 20 ms frames of 16 kHz out. Silence fills
 * missing time, so that frames keep up with the clock. Synchronous; allocates nothing for a message of 20 ms.
 */
export class Uplink {
  readonly #counters: LegCounters
  readonly #limits: StreamLimits
  readonly #timeline: MediaClock
  readonly #codec: SampleCodec
  readonly #resampler: Resampler
  readonly #drift: ClockDrift
  readonly #corrector = new SampleCorrector()
  /** Audio received (ms): the clock of carriers without timestamps. */
  #receivedMs = 0
  readonly #framer: Framer
  readonly #perMs: number
  readonly #bytesPerMs: number
  /** Samples and bytes of 20 ms. */
  readonly #block: number
  readonly #blockBytes: number
  /** Views of what all legs share. */
  readonly #pcm: Int16Array
  readonly #silent: Int16Array
  #sink: LegUplink | undefined
  /** Remaining audio allowance (ms): media time can run ahead of real time by a full gap and a burst. */
  readonly #allowance: TokenBucket
  readonly #backlog: Backlog
  /** Time of the last media, and silence fed since then (ms). */
  #mediaAt: number
  #fedMs = 0

  constructor(
    counters: LegCounters,
    limits: StreamLimits,
    { codec, rate }: LineFormat,
    drift: ClockDrift,
    now: number,
  ) {
    this.#counters = counters
    this.#drift = drift
    this.#limits = limits
    this.#codec = sampleCodec(codec)
    this.#resampler = createResampler(rate, SAMPLE_RATE)
    this.#perMs = rate / 1_000
    this.#bytesPerMs = this.#perMs * this.#codec.bytesPerSample
    this.#block = rate / 50
    this.#blockBytes = this.#block * this.#codec.bytesPerSample
    this.#pcm = BLOCK_PCM.subarray(0, this.#block)
    this.#silent = BLOCK_SILENCE.subarray(0, this.#block)
    this.#timeline = new MediaClock(limits.maxGapMs, rate)
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
    const ms = (typeof payload === 'string' ? (payload.length * 3) / 4 : payload.length) / this.#bytesPerMs
    if (this.#backlog.outdated(timestampMs, ms, now)) {
      this.#counters.backlogDroppedMs += Math.floor(ms)
      return true
    }
    const bytes = typeof payload === 'string' ? BYTES : payload
    const decoded = typeof payload === 'string' ? decodeBase64(payload) : payload.length
    const samples = decoded < 0 ? this.#block : Math.floor(decoded / this.#codec.bytesPerSample)
    this.#receivedMs += ms
    this.#drift.observe(Number.isNaN(timestampMs) ? this.#receivedMs : timestampMs + ms, now)
    const timeline = this.#timeline
    timeline.place(timestampMs, samples)
    this.#mediaAt = now
    if (timeline.jumped) this.#counters.pauses++
    if (timeline.fill > 0) this.#fill(timeline.fill, now)
    this.#fedMs = 0
    if (timeline.skip > 0) this.#counters.duplicates++
    if (this.#allowance.take(now, (samples - timeline.skip) / this.#perMs) < 0) this.#counters.floodDropped++
    else if (decoded < 0) this.#silence(samples - timeline.skip)
    else this.#decode(bytes.length === decoded ? bytes : bytes.subarray(0, decoded), timeline.skip)
    return decoded >= 0
  }

  /** Feeds the silence due at `now` if no media arrives, so that the service detects the pause. */
  watch(now: number): void {
    const quietMs = now - this.#mediaAt
    if (quietMs < this.#limits.silenceAfterMs) return
    const dueMs = Math.min(MOST_FED_MS, Math.floor((quietMs - this.#fedMs) / 20) * 20)
    this.#fedMs += dueMs
    this.#counters.silenceFedMs += dueMs
    this.#silence(dueMs * this.#perMs)
  }

  #fill(samples: number, now: number): void {
    const perMs = this.#perMs
    const missing = Math.min(samples - this.#fedMs * perMs, Math.floor(this.#allowance.left(now) * perMs))
    if (missing <= 0) return
    this.#allowance.take(now, missing / perMs)
    this.#counters.gapsFilledMs += missing / perMs
    this.#silence(missing)
  }

  /** Emits `bytes` from sample `from` on. */
  #decode(bytes: Buffer, from: number): void {
    const size = this.#blockBytes
    if (from === 0 && bytes.length === size) {
      this.#codec.decode(bytes, this.#pcm)
      this.#emit(this.#pcm)
      return
    }
    const { bytesPerSample } = this.#codec
    for (let at = from * bytesPerSample; at < bytes.length; at += size) {
      const block = bytes.subarray(at, at + size)
      this.#codec.decode(block, this.#pcm)
      const samples = Math.floor(block.length / bytesPerSample)
      this.#emit(samples === this.#block ? this.#pcm : this.#pcm.subarray(0, samples))
    }
  }

  #silence(samples: number): void {
    const block = this.#block
    for (let left = samples; left > 0; left -= block)
      this.#emit(left >= block ? this.#silent : this.#silent.subarray(0, left))
  }

  #emit(pcm: Int16Array): void {
    // Audio of a slow carrier lasts longer in our time.
    const target = this.#drift.correctionMs * (SAMPLE_RATE / 1_000)
    this.#framer.write(this.#corrector.correct(this.#resampler.process(pcm), target))
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
