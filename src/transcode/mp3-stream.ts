import type { Mp3Decoder } from './mp3-backend.ts'
import { Mp3Guard } from './mp3-guard.ts'
import { type Mp3Header, mp3ReachBack } from './mp3-header.ts'
import type { Mp3Pool } from './mp3-pool.ts'
import { Mp3Splitter } from './mp3-splitter.ts'
import { mp3TagAt } from './mp3-tag.ts'
import { DECODER_DELAY, Mp3Trim } from './mp3-trim.ts'
import { SAMPLE_RATE } from './pcm.ts'
import { createResampler, type Resampler } from './resample.ts'

/** What came and what became of it. */
export interface Mp3Stats {
  /** Frames of sound, damaged ones among them. */
  readonly frames: number
  /** Frames that held a tag in place of sound. */
  readonly tagFrames: number
  /** Frames beyond decoding; silence of their length stands in for them. */
  readonly badFrames: number
  /** Frames made softer or silent, since they were louder than the voice can be: damage. */
  readonly mutedFrames: number
  /** Bytes that belonged to no frame: garbage, other formats, the rest of a damaged frame. */
  readonly junkBytes: number
  /** Bytes of ID3 and APE blocks. */
  readonly metadataBytes: number
  /** Bytes refused: beyond the limit, or after the end. */
  readonly overflowBytes: number
  /** Files begun, as far as tags, metadata, changes of format and results of the service tell. */
  readonly files: number
  /** Changes of rate between files. */
  readonly rateChanges: number
}

/** Bytes that may wait to be decoded: over two minutes at 128 kbit/s. */
const LIMIT = 2 << 20
/** Before the sound of a file comes its encoder's delay: nothing is louder there (−30 dBFS), even where an abrupt sound follows. */
const SOFT = 1_000

/**
 * Mp3 bytes in, 16 kHz mono out: one utterance, or a whole session of files one after the other. Writing is cheap;
 * decoding happens when `decode` is called, a slice at a time, with a decoder borrowed from the pool from the first
 * frame to the end. However the bytes are cut, the samples are the same.
 *
 * Only sound comes out: tags, metadata and garbage do not, the delay of encoder, decoder and resampler is cut off the
 * start of each file, and the filling off its end where the file tells ({@link Mp3Trim}). Bursts that damage makes do
 * not either ({@link Mp3Guard}).
 */
export class Mp3Stream {
  #pool: Mp3Pool
  #onPcm: (pcm: Int16Array) => void
  #splitter = new Mp3Splitter(LIMIT)
  #trim = new Mp3Trim()
  #guard = new Mp3Guard()
  #decoder: Mp3Decoder | undefined
  #resampler: Resampler | undefined
  /** Samples at 16 kHz by which the resampler still lags. */
  #lag = 0
  /** A frame found but not yet decoded. */
  #found: Mp3Header | undefined
  /** Whether a result begins with it, which may be a file. */
  #mayBegin = false
  /** Whether results are known to be pieces of one mp3. */
  #inPieces = false
  /** Whether frames were seen that refer back to those before: that of a new file, which does not, is told by it. */
  #refersBack = false
  /** Whether the decoder still holds what is left of the file before. */
  #stale = false
  #ended = false
  #closed = false
  #counts = { frames: 0, tagFrames: 0, badFrames: 0, overflowBytes: 0, files: 0, rateChanges: 0 }

  /** `onPcm` gets the samples, within calls of `decode`; they are borrowed for that call only. The pool stays the caller's. */
  constructor(pool: Mp3Pool, onPcm: (pcm: Int16Array) => void) {
    this.#pool = pool
    this.#onPcm = onPcm
  }

  get stats(): Mp3Stats {
    const { junkBytes, metadataBytes } = this.#splitter
    return { ...this.#counts, mutedFrames: this.#guard.changed, junkBytes, metadataBytes }
  }

  /**
   * A result of the service begins with the next byte: perhaps a file of its own, without a tag, or else the next piece of
   * the same mp3. It is a file if no frame lies across its beginning, its first frame refers back to nothing though others
   * do, and it begins with the silence that encoders begin with; and if none before was a piece. Of an encoder whose frames
   * never refer back all results count as pieces: a file taken for a piece begins a moment late, a piece taken for a file
   * loses its beginning.
   */
  begin(): void {
    this.#splitter.mark()
  }

  /** Takes bytes of any number; keeps a copy and decodes nothing yet. What exceeds 2 MiB waiting is refused and counted. */
  write(bytes: Uint8Array): void {
    if (this.#ended || this.#closed) this.#counts.overflowBytes += bytes.length
    else this.#counts.overflowBytes += this.#splitter.write(bytes)
  }

  /**
   * Decodes at most `maxFrames` mp3 frames (24 to 72 ms of sound each, tags among them) now, and searches junk for them
   * in turns of a fraction of a millisecond, each of which counts as a frame. `more`: there is more to do. `waiting`: the
   * pool has no decoder free yet; call again later. `idle`: all that came is decoded, and after `end` also given out.
   * Throws RangeError unless `maxFrames` is a whole number above 0 or Infinity.
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

  /** No more bytes will come. `decode` gives out the rest and then lets go of the decoder. Idempotent. */
  end(): void {
    this.#ended = true
    this.#splitter.end()
  }

  /** Drops everything and gives the decoder back. Idempotent. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#found = undefined
    this.#splitter.clear()
    this.#release()
  }

  /** Whether the frame found is a tag, and so no sound. Also where files begin. */
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
    this.#stale = false
    return this.#decoder !== undefined
  }

  #decodeFrame(decoder: Mp3Decoder, header: Mp3Header): void {
    this.#found = undefined
    // Frames refer back to bytes of those before; across a gap they would be the wrong ones, and loud.
    if (this.#stale || this.#splitter.afterJunk) decoder.reset()
    if (this.#splitter.afterJunk && this.#counts.frames > 0) this.#guard.warn()
    this.#stale = false
    this.#setRate(header.rate)
    if (this.#closed) return
    const { bytes, at } = this.#splitter
    this.#refersBack ||= mp3ReachBack(bytes, at, header) > 0
    const pcm = (this.#mayBegin && this.#asFile(header)) || this.#decoder!.decode(bytes, at, header)
    this.#counts.frames++
    if (!pcm) this.#counts.badFrames++
    const sound = this.#trim.cut(this.#guard.pass(pcm, this.#decoder!.peak, header))
    this.#give(this.#resampler ? this.#resampler.process(sound) : sound)
  }

  /**
   * The frame found begins a result. Decoded by itself it shows whether that is a file: then its decoder goes on, and its
   * sound is the answer.
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
    this.#counts.files++
    this.#trim.start(undefined, header.samples)
    return pcm
  }

  /** Changes to a resampler from `rate`, once the last of what the one before holds back is given out. */
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

/** Whether the first frame of a file, as decoded by itself, is that of an encoder that has not come to the sound yet. */
function isSoft(pcm: Int16Array): boolean {
  for (let i = 0; i < DECODER_DELAY; i++) if (Math.abs(pcm[i]!) > SOFT) return false
  return true
}
