import { SAMPLE_RATE } from '../pcm.ts'
import { createResampler, type Resampler } from '../resample/resampler.ts'
import { DamageGuard } from './damage-guard.ts'
import type { Mp3Decoder } from './decoder.ts'
import type { Mp3Pool } from './decoder-pool.ts'
import { Mp3Splitter } from './frame-splitter.ts'
import { DECODER_DELAY, Mp3Trim, mp3TagAt } from './gapless.ts'
import { type Mp3Header, mp3ReachBack, mp3ReachMost } from './header.ts'

/** Counters of the input and its processing. */
export interface Mp3Stats {
  /** Audio frames, including damaged ones. */
  readonly frames: number
  /** Frames that contained a tag instead of audio. */
  readonly tagFrames: number
  /** Undecodable frames, replaced by silence. */
  readonly badFrames: number
  /** Frames attenuated or silenced because they were louder than the voice can be, which indicates damage. */
  readonly mutedFrames: number
  /** Bytes outside frames: garbage, other formats, the rest of a damaged frame. */
  readonly invalidBytes: number
  /** Bytes of ID3 and APE blocks. */
  readonly metadataBytes: number
  /** Bytes rejected: above the limit, or after the end. */
  readonly overflowBytes: number
  /** Files started, judging by tags, metadata, format changes and service results. */
  readonly files: number
  /** Changes of rate between files. */
  readonly rateChanges: number
}

/** Maximum number of bytes waiting to be decoded: over two minutes at 128 kbit/s. */
const LIMIT = 2 << 20
/** Maximum level of the encoder delay before the audio of a file (−30 dBFS), even if an abrupt sound follows. */
const SOFT = 1_000

/** Number of frames on which the samples of the next one depend, apart from bytes that it refers back to. */
const PRIMING = 2

/**
 * mp3 bytes in, 16 kHz mono out: one utterance, or a whole session of consecutive files. Writing is cheap; `decode`
 * does the work, a slice at a time, with a decoder borrowed from the pool from the first frame to the end. The samples
 * do not depend on how the bytes are cut.
 *
 * Only audio is emitted: no tags, metadata or garbage. The delay of encoder, decoder and resampler is trimmed from the
 * start of each file, and the padding from its end if the file declares it ({@link Mp3Trim}). Bursts caused by damage
 * are suppressed ({@link DamageGuard}).
 */
export class Mp3Stream {
  #pool: Mp3Pool
  #onPcm: (pcm: Int16Array) => void
  #splitter = new Mp3Splitter(LIMIT)
  #trim = new Mp3Trim()
  #guard = new DamageGuard()
  #decoder: Mp3Decoder | undefined
  #resampler: Resampler | undefined
  /** Remaining delay of the resampler, in samples at 16 kHz. */
  #lag = 0
  /** A frame found but not yet decoded. */
  #found: Mp3Header | undefined
  /** True if a result starts with it, which can be a file. */
  #mayBegin = false
  /** True if results are known to be pieces of one mp3. */
  #inPieces = false
  /** True if any frame referred back to earlier ones; the first frame of a file does not. */
  #refersBack = false
  /** True if the decoder still has state of the previous file. */
  #stale = false
  /** Headers of the frames just before the next one, from which a decoder can continue with it. */
  #recent: Mp3Header[] = []
  /** True if the decoder was given back in the middle of a file. */
  #parked = false
  #ended = false
  #closed = false
  #counts = { frames: 0, tagFrames: 0, badFrames: 0, overflowBytes: 0, files: 0, rateChanges: 0 }

  /**
   * `onPcm` receives the samples, during calls of `decode`; they are borrowed for that call only. The caller still owns
   * the pool.
   */
  constructor(pool: Mp3Pool, onPcm: (pcm: Int16Array) => void) {
    this.#pool = pool
    this.#onPcm = onPcm
  }

  get stats(): Mp3Stats {
    const { invalidBytes, metadataBytes } = this.#splitter
    return { ...this.#counts, mutedFrames: this.#guard.changed, invalidBytes, metadataBytes }
  }

  /** Number of frames decoded or skipped. */
  get framesPassed(): number {
    return this.#counts.frames + this.#counts.tagFrames
  }

  /**
   * Marks the next byte as the start of a service result: either a separate file without a tag, or the next piece of
   * the same mp3. It counts as a file if no frame crosses its start, its first frame refers back to nothing while
   * others do, it starts with encoder silence, and no earlier result was a piece. If an encoder's frames never refer
   * back, all results count as pieces: a file treated as a piece starts slightly late, a piece treated as a file loses
   * its start.
   */
  begin(): void {
    this.#splitter.mark()
  }

  /**
   * Accepts any number of bytes; keeps a copy and decodes nothing yet. Bytes above 2 MiB waiting are rejected and
   * counted.
   */
  write(bytes: Uint8Array): void {
    if (this.#ended || this.#closed) this.#counts.overflowBytes += bytes.length
    else this.#counts.overflowBytes += this.#splitter.write(bytes)
  }

  /**
   * Decodes at most `maxFrames` mp3 frames (24 to 72 ms of audio each, including tags), and searches junk for them in
   * turns of a fraction of a millisecond, each of which counts as a frame. Returns `more` if there is more to do,
   * `waiting` if the pool has no free decoder yet (call again later), or `idle` when all input is decoded and, after
   * `end`, also emitted. Throws RangeError unless `maxFrames` is a positive integer or Infinity.
   */
  decode(maxFrames: number = Infinity): 'idle' | 'more' | 'waiting' {
    if (!(maxFrames >= 1) || (maxFrames !== Infinity && !Number.isInteger(maxFrames)))
      throw new RangeError(`frames to decode are a whole number above 0, got ${maxFrames}`)
    for (let count = 0; !this.#closed; count++) {
      if (!this.#found) {
        const header = this.#splitter.next()
        if (!header && !this.#splitter.paused) return this.#drained()
        if (header && !this.#passTag(header)) this.#found = header
      }
      if (count >= maxFrames) return 'more'
      if (!this.#found) continue
      if (!this.#decoder && !this.#borrow()) return 'waiting'
      this.#decodeFrame(this.#decoder!, this.#found)
    }
    return 'idle'
  }

  /**
   * Returns the decoder to the pool until the next `decode`. That decodes up to a few of the previous frames again,
   * whose bytes are kept, and continues with the same samples (give or take 1).
   */
  park(): void {
    if (!this.#decoder) return
    this.#release()
    this.#parked = true
  }

  /** Ends the input. `decode` emits the rest and then returns the decoder. Idempotent. */
  end(): void {
    this.#ended = true
    this.#splitter.end()
  }

  /** Drops everything and returns the decoder. Idempotent. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#found = undefined
    this.#splitter.clear()
    this.#release()
  }

  /** Returns true if the frame is a tag and so not audio. Also detects the start of files. */
  #passTag(header: Mp3Header): boolean {
    const tag = mp3TagAt(this.#splitter.bytes, this.#splitter.at, header)
    if (tag) this.#counts.tagFrames++
    if (tag || this.#splitter.startsFile) {
      this.#counts.files++
      this.#trim.start(tag, header.samples)
      this.#stale = true
    }
    this.#mayBegin = this.#splitter.atMark && !tag && !this.#splitter.startsFile && !this.#inPieces
    return tag !== undefined
  }

  #borrow(): boolean {
    this.#decoder = this.#pool.borrow()
    if (!this.#decoder) return false
    if (this.#stale || this.#splitter.afterJunk) this.#recent.length = 0
    else if (this.#parked) this.#prime(this.#decoder)
    this.#parked = false
    this.#stale = false
    return true
  }

  /** Brings `decoder` to the state after the recent frames. */
  #prime(decoder: Mp3Decoder): void {
    const { bytes } = this.#splitter
    const frames = [...this.#recent, this.#found!]
    const at = [this.#splitter.at]
    for (let n = this.#recent.length - 1; n >= 0; n--) at.unshift(at[0]! - frames[n]!.bytes)
    let first = Math.max(0, this.#recent.length - PRIMING)
    for (let n = first; n < frames.length; n++) {
      let reach = mp3ReachBack(bytes, at[n]!, frames[n]!)
      let from = n
      while (reach > 0 && from > 0) reach -= frames[--from]!.bytes - frames[from]!.dataAt
      first = Math.min(first, from)
    }
    for (let n = first; n < this.#recent.length; n++) decoder.decode(bytes, at[n]!, frames[n]!)
  }

  /**
   * Remembers the frame just decoded, and of the frames before it those on which the next ones depend: two, for the
   * overlap of their samples, and as many bytes as frames can refer back to.
   */
  #remember(header: Mp3Header): void {
    const recent = this.#recent
    recent.push(header)
    for (let reach = mp3ReachMost(header), n = recent.length - PRIMING - 1; n >= 0; n--) {
      if (reach <= 0) {
        recent.splice(0, n + 1)
        break
      }
      reach -= recent[n]!.bytes - recent[n]!.dataAt
    }
    let bytes = 0
    for (const { bytes: each } of recent) bytes += each
    this.#splitter.keep(bytes)
  }

  #decodeFrame(decoder: Mp3Decoder, header: Mp3Header): void {
    this.#found = undefined
    // Frames refer back to bytes of earlier frames; across a gap these would be wrong, and loud.
    if (this.#stale || this.#splitter.afterJunk) {
      decoder.reset()
      this.#recent.length = 0
    }
    if (this.#splitter.afterJunk && this.#counts.frames > 0) this.#guard.warn()
    this.#stale = false
    this.#setRate(header.rate)
    if (this.#closed) return
    const { bytes, at } = this.#splitter
    this.#refersBack ||= mp3ReachBack(bytes, at, header) > 0
    const pcm = (this.#mayBegin && this.#asFile(header)) || this.#decoder!.decode(bytes, at, header)
    this.#remember(header)
    this.#counts.frames++
    if (!pcm) this.#counts.badFrames++
    const sound = this.#trim.cut(this.#guard.pass(pcm, this.#decoder!.peak, header))
    this.#give(this.#resampler ? this.#resampler.process(sound) : sound)
  }

  /**
   * Decodes a frame at the start of a result separately, to detect if it starts a file: then that decoder continues,
   * and its audio is returned.
   */
  #asFile(header: Mp3Header): Int16Array | undefined {
    const { bytes, at, inPieces } = this.#splitter
    if (this.#counts.frames > 0 && !this.#refersBack) return undefined
    this.#inPieces = inPieces || mp3ReachBack(bytes, at, header) > 0
    const decoder = this.#inPieces ? undefined : this.#pool.borrow()
    if (!decoder) return undefined
    const pcm = decoder.decode(bytes, at, header)
    this.#inPieces = !pcm || !isSoft(pcm)
    this.#pool.giveBack(this.#inPieces ? decoder : this.#decoder!)
    if (this.#inPieces) return undefined
    this.#decoder = decoder
    this.#recent.length = 0
    this.#counts.files++
    this.#trim.start(undefined, header.samples)
    return pcm
  }

  /** Switches to a resampler from `rate`, after emitting the rest of the previous one. */
  #setRate(rate: number): void {
    if (this.#resampler?.from === rate) return
    if (this.#resampler) {
      this.#counts.rateChanges++
      this.#give(this.#resampler.flush())
    }
    this.#resampler = createResampler(rate, SAMPLE_RATE)
    this.#lag = Math.round((this.#resampler.delayMs * SAMPLE_RATE) / 1000)
  }

  #give(pcm: Int16Array): void {
    const late = Math.min(this.#lag, pcm.length)
    this.#lag -= late
    if (pcm.length > late && !this.#closed) this.#onPcm(late === 0 ? pcm : pcm.subarray(late))
  }

  #drained(): 'idle' {
    if (!this.#ended) return 'idle'
    const resampler = this.#resampler
    this.#resampler = undefined
    this.#release()
    if (resampler) this.#give(resampler.flush())
    return 'idle'
  }

  #release(): void {
    if (this.#decoder) this.#pool.giveBack(this.#decoder)
    this.#decoder = undefined
  }
}

/** True if the first frame of a file, decoded separately, contains only the encoder's initial silence. */
function isSoft(pcm: Int16Array): boolean {
  for (let i = 0; i < DECODER_DELAY; i++) if (Math.abs(pcm[i]!) > SOFT) return false
  return true
}
