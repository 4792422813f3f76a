import { ChannelMixer } from './channel-mixer.ts'
import { ByteQueue } from './mp3/frame-splitter.ts'
import { SAMPLE_RATE } from './pcm.ts'
import { INPUT_RATES, inputResampler } from './resample/input-resampler.ts'
import type { Resampler } from './resample/resampler.ts'
import type { WavFormat } from './wav-format.ts'
import { type WavAudio, type WavPlace, WavReader } from './wav-reader.ts'

/** Maximum number of queued bytes: over two minutes at 16 kHz. */
const LIMIT = 4 << 20
/** Samples per channel that count as one frame of work. */
const FRAME_SAMPLES = 1_152
/** Minimum and maximum number of bytes read for one frame. */
const LEAST_BYTES = 2_304
const MOST_BYTES = 16_384

/** Consecutive bytes of audio in one format; positions count from the first byte of the input. */
export interface AudioRun {
  readonly format: WavFormat
  readonly at: number
  readonly end: number
}

/** Counters of the input and its processing. */
export interface PcmStats {
  /** Number of pieces emitted. */
  readonly frames: number
  /** Bytes that could not be decoded as audio. */
  readonly invalidBytes: number
}

/**
 * Uncompressed audio in, 16 kHz mono out: WAV files, one after the other or one in pieces ({@link WavReader}), or headerless
 * 16-bit samples. The samples do not depend on how the bytes are cut. The counterpart of `Mp3Stream`.
 */
export class PcmStream {
  readonly #onPcm: (pcm: Int16Array) => void
  readonly #queue = new ByteQueue(LIMIT)
  readonly #reader: WavReader
  /** Offsets of result starts from the first queued byte, in order. */
  #begins: number[] = []
  #mixer = new ChannelMixer(1)
  #resampler: Resampler | undefined
  /** Remaining delay of the resampler, in samples at 16 kHz. */
  #lag = 0
  #ended = false
  #flushed = false
  #frames = 0
  #lostBytes = 0

  /** The audio so far. */
  readonly runs: AudioRun[] = []

  /**
   * `onPcm` receives the samples, during calls of `decode`, for that call only. `start`: the rate of headerless samples (Hz),
   * or the place in a WAV at which the input starts.
   */
  constructor(onPcm: (pcm: Int16Array) => void, start: number | WavPlace = SAMPLE_RATE) {
    this.#onPcm = onPcm
    // An unreadable file is silent; its bytes are counted.
    const ignored = () => {}
    this.#reader =
      typeof start === 'number'
        ? new WavReader(INPUT_RATES.includes(start) ? start : SAMPLE_RATE, ignored)
        : WavReader.within(start, ignored)
  }

  /** Number of pieces emitted. */
  get framesPassed(): number {
    return this.#frames
  }

  /** Length of the bytes queued, with `more` that follow, as far as their format is known (ms). */
  leftMs(more: number): number {
    const byteRate = this.#reader.format?.byteRate
    return byteRate === undefined ? 0 : ((this.#queue.length + more) * 1_000) / byteRate
  }

  get stats(): PcmStats {
    return { frames: this.#frames, invalidBytes: this.#lostBytes + this.#reader.invalidBytes }
  }

  /** Marks the next byte as the start of a service result, possibly a separate file. */
  begin(): void {
    this.#begins.push(this.#queue.length)
  }

  /** Accepts any number of bytes; keeps a copy. Bytes above 4 MiB waiting are rejected and counted. */
  write(bytes: Uint8Array): void {
    if (this.#ended) this.#lostBytes += bytes.length
    else this.#lostBytes += this.#queue.write(bytes)
  }

  /** Reads the bytes of at most `maxFrames` times 1152 samples. Works like `Mp3Stream`, but never waits for a decoder. */
  decode(maxFrames: number = Infinity): 'idle' | 'more' {
    for (let count = 0; this.#queue.length > 0; count++) {
      if (count >= maxFrames) return 'more'
      this.#step()
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

  /** Reads the bytes of one frame, of one result only. */
  #step(): void {
    while (this.#begins[0] === 0) {
      this.#begins.shift()
      this.#reader.begin()
    }
    const { bytes, start, length } = this.#queue
    const { byteRate = 0, rate = 1 } = this.#reader.format ?? {}
    const frame = Math.ceil((FRAME_SAMPLES * byteRate) / rate)
    const most = Math.max(LEAST_BYTES, Math.min(frame, MOST_BYTES))
    const count = Math.min(most, length, this.#begins[0] ?? length)
    // The bytes stay in the buffer until the next write.
    this.#queue.skip(count)
    if (this.#begins.length > 0) this.#begins = this.#begins.map(at => at - count)
    this.#play(this.#reader.push(bytes.subarray(start, start + count)))
  }

  #play(found: readonly WavAudio[]): void {
    for (const { format, view, at, bytes, position } of found) {
      if (!INPUT_RATES.includes(format.rate)) {
        this.#lostBytes += bytes
        continue
      }
      this.#frames++
      const last = this.runs.at(-1)
      const continues = last?.format === format && last.end === position
      if (continues) this.runs.pop()
      this.runs.push({ format, at: continues ? last.at : position, end: position + bytes })
      if (this.#mixer.channels !== format.channels) this.#mixer = new ChannelMixer(format.channels)
      this.#setRate(format.rate)
      this.#out(this.#resampler!.process(this.#mixer.mix(format.decode(view, at, bytes))))
    }
  }

  #setRate(rate: number): void {
    if (this.#resampler?.from === rate) return
    if (this.#resampler) this.#out(this.#resampler.flush())
    this.#resampler = inputResampler(rate)
    this.#lag = Math.round((this.#resampler.delayMs * SAMPLE_RATE) / 1_000)
  }

  #out(pcm: Int16Array): void {
    const late = Math.min(this.#lag, pcm.length)
    this.#lag -= late
    if (pcm.length > late) this.#onPcm(late === 0 ? pcm : pcm.subarray(late))
  }

  #flush(): void {
    if (this.#flushed) return
    this.#flushed = true
    this.#play(this.#reader.end())
    if (this.#resampler) this.#out(this.#resampler.flush())
  }
}
