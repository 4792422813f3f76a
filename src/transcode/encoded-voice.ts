import { mp3HeaderAt, sameStream } from './mp3/header.ts'
import { metadataAt, UNSURE } from './mp3/id3.ts'

const SMALLEST = 1_024
const NO_BYTES = new Uint8Array(0)
/** Maximum number of result starts kept; beyond it the results are only a few bytes each, and not files. */
const MOST_BEGINNINGS = 1_000

/**
 * One voice as received: the bytes of all results in one buffer, so that it can be decoded as often as needed.
 * Positions count from the first byte, including those dropped.
 */
export class EncodedVoice {
  readonly #limit: number
  #bytes = NO_BYTES
  #end = 0
  #dropped = 0
  #ended = false
  readonly #beginnings: number[] = []

  /** Holds at most `limit` bytes. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Position after the last byte. */
  get end(): number {
    return this.#end
  }

  /** Position of the first byte held. */
  get start(): number {
    return this.#dropped
  }

  /** True if no more bytes follow. */
  get ended(): boolean {
    return this.#ended
  }

  /** Adds a copy of the bytes of one result. Returns the number of bytes that did not fit. */
  write(bytes: Uint8Array): number {
    if (this.#ended) return bytes.length
    const taken = Math.min(bytes.length, this.#limit - (this.#end - this.#dropped))
    if (taken <= 0) return bytes.length
    if (this.#beginnings.length < MOST_BEGINNINGS) this.#beginnings.push(this.#end)
    const length = this.#end - this.#dropped
    if (length + taken > this.#bytes.length)
      // A voice often consists of one result only.
      this.#resize(length === 0 ? taken : Math.max(SMALLEST, Math.ceil((length + taken) * 1.5)))
    this.#bytes.set(bytes.subarray(0, taken), length)
    this.#end += taken
    return bytes.length - taken
  }

  /** No more bytes follow. Idempotent. */
  finish(): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#bytes.length > this.#end - this.#dropped) this.#resize(this.#end - this.#dropped)
  }

  /**
   * Returns up to `most` bytes from position `at` on, which must be held, but none of the result that starts after it.
   * A view, valid until the next `write`.
   */
  piece(at: number, most: number): Uint8Array {
    const next = this.#beginnings.find(each => each > at) ?? this.#end
    return this.#bytes.subarray(at - this.#dropped, Math.min(at + most, next) - this.#dropped)
  }

  /** Returns all bytes from position `at` on. A view, valid until the next `write`. */
  bytes(at: number): Uint8Array {
    return this.#bytes.subarray(at - this.#dropped, this.#end - this.#dropped)
  }

  /** True if a result starts at position `at`. */
  begins(at: number): boolean {
    return this.#beginnings.includes(at)
  }

  /** Drops the bytes before position `at`. */
  drop(at: number): void {
    if (at <= this.#dropped) return
    this.#bytes = this.#bytes.slice(at - this.#dropped, this.#end - this.#dropped)
    this.#dropped = at
  }

  /** Drops everything, and ignores what follows. */
  clear(): void {
    this.#ended = true
    this.#dropped = this.#end
    this.#bytes = NO_BYTES
    this.#beginnings.length = 0
  }

  #resize(size: number): void {
    const bytes = new Uint8Array(Math.min(size, this.#limit))
    bytes.set(this.#bytes.subarray(0, Math.min(bytes.length, this.#end - this.#dropped)))
    this.#bytes = bytes
  }
}

/** Places without a frame that are examined at a time: less than a millisecond. */
const MOST_PLACES = 8_192

/**
 * Measures the length of mp3 by its headers, without decoding it. Slightly too long: the delay of the encoder, and tags,
 * count as audio. Long stretches without frames are passed in several steps, one with each question.
 */
export class Mp3Length {
  readonly #voice: EncodedVoice
  #frames = 0
  #ms = 0
  /** Position of the next header. */
  #next = 0
  #clean = true
  #header: ReturnType<typeof mp3HeaderAt>

  constructor(voice: EncodedVoice) {
    this.#voice = voice
  }

  /** Length of the frames received, without the first `count` (ms). */
  msAfter(count: number): number {
    this.#measure()
    return this.#frames === 0 ? 0 : (Math.max(0, this.#frames - count) * this.#ms) / this.#frames
  }

  /** Moves to the first frame after `ms` of audio. Returns its position, and how much audio is before it (ms). */
  seek(ms: number): { readonly at: number; readonly ms: number } {
    let before = -1
    while (before !== this.#next && this.#ms < ms) {
      before = this.#next
      this.#measure(ms)
    }
    return { at: Math.min(this.#next, this.#voice.end), ms: this.#ms }
  }

  #measure(most = Number.POSITIVE_INFINITY): void {
    const voice = this.#voice
    if (this.#next < voice.start) this.#next = voice.start
    if (this.#next + 4 > voice.end) return
    const base = this.#next
    const bytes = voice.bytes(base)
    let at = 0
    for (let places = 0; at + 4 <= bytes.length && this.#ms < most && places < MOST_PLACES; ) {
      const header = mp3HeaderAt(bytes, at)
      // Elsewhere, bytes can look like a header of another format by chance.
      if (header && (this.#clean || !this.#header || sameStream(this.#header, header))) {
        this.#header = header
        this.#clean = true
        this.#frames++
        this.#ms += (header.samples / header.rate) * 1_000
        at += header.bytes
        continue
      }
      const block = this.#clean ? metadataAt(bytes, at, bytes.length) : 0
      if (block === UNSURE && !voice.ended) break
      places++
      this.#clean = block > 0
      if (block > 0) at += block
      else {
        const sync = bytes.indexOf(0xff, at + 1)
        at = sync < 0 ? bytes.length : sync
      }
    }
    this.#next = base + at
  }
}
