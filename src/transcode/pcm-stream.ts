import { isWav } from './container/audio-kind.ts'
import { ByteQueue } from './mp3/frame-splitter.ts'
import { SAMPLE_RATE } from './pcm.ts'
import { createResampler, RATES, type Resampler } from './resample/resampler.ts'
import { findWavData, mono, NEARLY_UNKNOWN, WavError, type WavFormat } from './wav.ts'

/** Maximum number of queued bytes: over two minutes at 16 kHz. */
const LIMIT = 4 << 20
/** Samples per channel that count as one frame of work. */
const FRAME_MOMENTS = 1_152
/** Maximum size of a header. */
const HEADER_MOST = 65_536
/** Number of bytes needed to detect the start of a file. */
const BEGINNING_BYTES = 12

const RAW: Omit<WavFormat, 'rate'> = {
  channels: 1,
  bytesPerMoment: 2,
  decode: (view, at, count) => {
    const pcm = new Int16Array(count)
    for (let i = 0; i < count; i++) pcm[i] = view.getInt16(at + 2 * i, true)
    return pcm
  },
}

/** Counters of the input and its processing. */
export interface PcmStats {
  /** Number of pieces emitted. */
  readonly frames: number
  /** Bytes that could not be decoded as audio. */
  readonly invalidBytes: number
}

/**
 * Uncompressed audio in, 16 kHz mono out: WAV files, one after the other or one in pieces, or headerless 16-bit
 * samples. The samples do not depend on how the bytes are cut. The counterpart of `Mp3Stream`.
 */
export class PcmStream {
  readonly #onPcm: (pcm: Int16Array) => void
  readonly #queue = new ByteQueue(LIMIT)
  /** Format of the current bytes; undefined: a header follows. */
  #format: WavFormat | undefined
  /** Remaining bytes of audio according to the header. */
  #left = Number.POSITIVE_INFINITY
  /** Offsets of result starts from the first queued byte, in order. */
  #begins: number[] = []
  /** Skips input until the next result, because the current one is unreadable. */
  #lost = false
  #resampler: Resampler | undefined
  /** Remaining delay of the resampler, in samples at 16 kHz. */
  #lag = 0
  #ended = false
  #flushed = false
  #frames = 0
  #invalidBytes = 0

  /**
   * `onPcm` receives the samples, during calls of `decode`, for that call only. `format`: of headerless samples, or
   * their rate (Hz) if they are linear16.
   */
  constructor(onPcm: (pcm: Int16Array) => void, format: number | WavFormat = SAMPLE_RATE) {
    this.#onPcm = onPcm
    this.#format =
      typeof format === 'number' ? { ...RAW, rate: isKnown(format) ? format : SAMPLE_RATE } : format
  }

  /** Number of pieces emitted. */
  get framesPassed(): number {
    return this.#frames
  }

  /** Format of the audio being read; undefined at the start of a file. */
  get format(): WavFormat | undefined {
    return this.#format
  }

  /** Length of the bytes queued, with `more` that follow, as far as their format is known (ms). */
  leftMs(more: number): number {
    if (!this.#format) return 0
    return ((this.#queue.length + more) * 1_000) / (this.#format.bytesPerMoment * this.#format.rate)
  }

  get stats(): PcmStats {
    return { frames: this.#frames, invalidBytes: this.#invalidBytes }
  }

  /** Marks the next byte as the start of a service result, possibly a separate file. */
  begin(): void {
    this.#begins.push(this.#queue.length)
  }

  /** Accepts any number of bytes; keeps a copy. Bytes above 4 MiB waiting are rejected and counted. */
  write(bytes: Uint8Array): void {
    if (this.#ended) this.#invalidBytes += bytes.length
    else this.#invalidBytes += this.#queue.write(bytes)
  }

  /** Emits at most `maxFrames` times 1152 samples. Works like `Mp3Stream`, but never waits for a decoder. */
  decode(maxFrames: number = Infinity): 'idle' | 'more' {
    for (let count = 0; this.#queue.length > 0; count++) {
      if (count >= maxFrames) return 'more'
      if (!this.#step()) break
    }
    if (this.#ended) this.#flush()
    return 'idle'
  }

  /** Ends the input. Idempotent. */
  end(): void {
    this.#ended = true
  }

  /** Drops everything. Idempotent. */
  close(): void {
    this.#ended = true
    this.#flushed = true
    this.#queue.clear()
  }

  /** Performs one step of work; returns false if more bytes are needed. */
  #step(): boolean {
    if (this.#begins[0] === 0) {
      const found = this.#atBeginning()
      if (found === undefined) return false
      this.#begins.shift()
      this.#lost = false
      if (found) this.#format = undefined
      // A result without a header continues the previous one.
      else if (this.#left === 0) this.#left = Number.POSITIVE_INFINITY
    }
    if (this.#lost) return this.#skip(this.#nextBegin)
    if (!this.#format) return this.#readHeader()
    if (this.#left === 0) return this.#skip(this.#nextBegin)
    return this.#give(this.#format)
  }

  /** Returns true if a file starts with the next byte; undefined if that is not known yet. */
  #atBeginning(): boolean | undefined {
    const { bytes, start, length } = this.#queue
    if (length >= BEGINNING_BYTES || this.#ended) return isWav(bytes.subarray(start, start + length))
    // Usually a result does not look like the start of a file at all.
    return bytes[start] === 0x52 ? undefined : false
  }

  #readHeader(): boolean {
    const { bytes, start, end } = this.#queue
    try {
      const { format, body, size } = findWavData(bytes.subarray(start, end))
      if (!isKnown(format.rate)) return this.#lose()
      this.#format = format
      this.#left = size === 0 || size >= NEARLY_UNKNOWN ? Number.POSITIVE_INFINITY : size
      this.#pass(body)
      return true
    } catch (error) {
      if (!(error instanceof WavError)) throw error
      const mayCome = error.code === 'NO_DATA' && end - start < HEADER_MOST
      if (mayCome && !this.#ended) return false
      return this.#lose()
    }
  }

  #lose(): true {
    this.#lost = true
    this.#invalidBytes += Math.min(this.#nextBegin, this.#queue.length)
    return true
  }

  #give(format: WavFormat): boolean {
    const { bytesPerMoment, channels } = format
    const { bytes, start, length } = this.#queue
    // The start of a file ends the previous one; a headerless piece can start within a sample.
    const room = Math.min(length, this.#left, this.#fileBegin)
    const moments = Math.min(FRAME_MOMENTS, Math.floor(room / bytesPerMoment))
    if (moments === 0) {
      if (room === length && !this.#ended && length < this.#left) return false
      if (room === this.#left) this.#left = 0
      return this.#skip(room)
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const pcm = format.decode(view, start, moments * channels)
    this.#left -= moments * bytesPerMoment
    this.#pass(moments * bytesPerMoment)
    this.#frames++
    this.#play(mono({ channels, pcm }), format.rate)
    return true
  }

  #play(pcm: Int16Array, rate: number): void {
    if (this.#resampler?.from !== rate) {
      if (this.#resampler) this.#out(this.#resampler.flush())
      this.#resampler = createResampler(rate, SAMPLE_RATE)
      this.#lag = Math.round((this.#resampler.delayMs * SAMPLE_RATE) / 1_000)
    }
    this.#out(this.#resampler.process(pcm))
  }

  #out(pcm: Int16Array): void {
    const late = Math.min(this.#lag, pcm.length)
    this.#lag -= late
    if (pcm.length > late) this.#onPcm(late === 0 ? pcm : pcm.subarray(late))
  }

  #flush(): void {
    if (this.#flushed) return
    this.#flushed = true
    if (this.#resampler) this.#out(this.#resampler.flush())
  }

  /** Distance to the next result that has not started. */
  get #nextBegin(): number {
    return this.#begins[0] ?? this.#queue.length
  }

  /** Distance to the next result that can be a file. */
  get #fileBegin(): number {
    const { bytes, start, end } = this.#queue
    for (const at of this.#begins)
      if (end - start - at < BEGINNING_BYTES ? bytes[start + at] === 0x52 : isWav(bytes, start + at))
        return at
    return this.#queue.length
  }

  #skip(count: number): boolean {
    this.#pass(Math.min(count, this.#queue.length))
    return true
  }

  #pass(count: number): void {
    this.#queue.skip(count)
    // A result that starts inside the bytes read continues from there.
    this.#begins = this.#begins.map(at => at - count).filter(at => at >= 0)
  }
}

function isKnown(rate: number): boolean {
  return RATES.some(each => each === rate)
}
