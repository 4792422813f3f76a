import { ByteQueue } from './byte-queue.ts'
import { MP3_HEADER_BYTES, type Mp3Header, mp3HeaderAt, sameStream } from './mp3-header.ts'
import { looksLikeMetadata, metadataAt, UNSURE } from './mp3-metadata.ts'

/** Headers in a row that make a stream where one may well begin, or go on. */
const ENOUGH = 2
/** The same after junk, before any stream is known: WAV and Ogg bodies hold chance headers, and pairs of them. */
const ENOUGH_AFTER_JUNK = 4
/** Places written to that are remembered at once; beyond, results of a few bytes each, they are no files. */
const MARKS = 1_000
/** Places looked at in one search: some 0.3 ms. Two megabytes of bad will would take a thousand times that. */
const PLACES = 2048

/**
 * Cuts bytes into whole frames of MPEG layer III, however the bytes were cut before: where a frame is found depends on
 * the bytes alone, never on when they came. A frame that follows the last one directly is given out as soon as it is
 * whole; anything else has to be followed by another header that fits.
 */
export class Mp3Splitter {
  /** Bytes that were neither frame nor metadata. */
  junkBytes = 0
  /** Bytes of ID3 and APE blocks. */
  metadataBytes = 0
  /** Whether the last search stopped for the time it took, not for want of bytes. */
  paused = false
  /** Whether the frame last found begins a file, as far as a block of metadata or a change of format tells. */
  startsFile = false
  /** Whether bytes were lost between the frame last found and the one before. */
  afterJunk = false
  /** Whether the frame last found begins exactly where a result of the service did. */
  atMark = false
  /** Whether a result began within a frame: then results are pieces of one mp3. */
  inPieces = false
  /** Where results began that are not reached yet, counted in bytes taken. */
  #marks: number[] = []
  /** Bytes taken from the first to the end of the queue. */
  #taken = 0
  #queue: ByteQueue
  #ended = false
  #header: Mp3Header | undefined
  /** The format of the stream so far. */
  #format: Mp3Header | undefined
  /** Whether the next byte directly follows a frame, a block or the beginning. */
  #clean = true
  /** Whether metadata came since the last frame. */
  #betweenFiles = true
  /** Bytes of the frame given out last, still at the head of the queue. */
  #given = 0
  /** Bytes of a metadata block still to come. */
  #skipping = 0

  /** Holds at most `limit` bytes. */
  constructor(limit: number) {
    this.#queue = new ByteQueue(limit)
  }

  /** The memory in which the frame last found lies. */
  get bytes(): Uint8Array {
    return this.#queue.bytes
  }

  /** Where in {@link bytes} it begins. */
  get at(): number {
    return this.#queue.start
  }

  /** Copies `bytes` in; returns how many did not fit and are lost. The frame last found may move in memory. */
  write(bytes: Uint8Array): number {
    const lost = this.#queue.write(bytes)
    this.#taken += bytes.length - lost
    return lost
  }

  /** A result of the service begins with the next byte. */
  mark(): void {
    if (this.#marks.length < MARKS && this.#marks.at(-1) !== this.#taken) this.#marks.push(this.#taken)
  }

  /** No more bytes will come: the last frame need not be followed by anything. */
  end(): void {
    this.#ended = true
  }

  clear(): void {
    this.#given = 0
    this.#marks = []
    this.#queue.clear()
  }

  /**
   * Finds the next frame and returns its header; it lies in `bytes` at `at`. Undefined if the bytes so far hold none,
   * or if the search is `paused`: then call again to go on.
   */
  next(): Mp3Header | undefined {
    this.#drop()
    this.paused = false
    for (let places = 0; this.#queue.length > 0; places++) {
      if (places === PLACES) {
        this.paused = true
        break
      }
      const metadata = this.#clean ? this.#passMetadata() : 'none'
      if (metadata === 'wait') break
      if (metadata === 'passed') continue
      if (this.#queue.length < MP3_HEADER_BYTES) {
        if (this.#ended) this.#junk(this.#queue.length)
        break
      }
      const verdict = this.#judge()
      if (verdict === 'wait') break
      if (verdict === 'frame') return this.#header
      this.#junk(this.#toNextSync())
    }
    return undefined
  }

  /** Passes over a block of metadata at the head of the queue, if there is one. */
  #passMetadata(): 'passed' | 'none' | 'wait' {
    if (this.#skipping === 0) {
      const size = metadataAt(this.#queue.bytes, this.#queue.start, this.#queue.end)
      if (size === UNSURE && !this.#ended) return 'wait'
      if (size === UNSURE || size === 0) return 'none'
      this.#skipping = size
      this.#betweenFiles = true
    }
    const there = Math.min(this.#skipping, this.#queue.length)
    this.metadataBytes += there
    this.#skipping -= there
    this.#queue.skip(there)
    return 'passed'
  }

  /** What lies at the head of the queue. A frame is remembered. */
  #judge(): 'frame' | 'junk' | 'wait' {
    const { bytes, start } = this.#queue
    const header = mp3HeaderAt(bytes, start)
    if (!header) return 'junk'
    const known = this.#format !== undefined && sameStream(this.#format, header)
    if (known && this.#clean && !this.#betweenFiles) {
      if (this.#queue.length < header.bytes) return this.#ended ? 'junk' : 'wait'
    } else {
      const needed = this.#clean || known ? ENOUGH : ENOUGH_AFTER_JUNK
      const verdict = this.#follow(header, needed)
      if (verdict !== 'frame') return verdict
    }
    this.startsFile = !known || this.#betweenFiles
    this.#betweenFiles = false
    this.#format = header
    this.#header = header
    this.afterJunk = !this.#clean
    this.atMark = this.#reach(this.#at, false) === this.#at
    this.#clean = true
    this.#given = header.bytes
    return 'frame'
  }

  /** Whether the frame at the head, of `first`, is the first of `needed` headers in a row. */
  #follow(first: Mp3Header, needed: number): 'frame' | 'junk' | 'wait' {
    const { bytes, start, end } = this.#queue
    let at = start
    let header = first
    for (let found = 1; found < needed; found++) {
      at += header.bytes
      if (at + MP3_HEADER_BYTES > end) {
        if (!this.#ended) return 'wait'
        // The end of all bytes confirms as well as a header, if it comes where a frame ends.
        if (found >= ENOUGH) return 'frame'
        return at === end && this.#clean ? 'frame' : 'junk'
      }
      const next = mp3HeaderAt(bytes, at)
      if (!next) {
        const confirmed = (this.#clean || found >= ENOUGH) && looksLikeMetadata(bytes, at)
        return confirmed ? 'frame' : 'junk'
      }
      if (!sameStream(first, next)) return 'junk'
      header = next
    }
    return 'frame'
  }

  /** How many bytes from the head to the next place where a header could begin. */
  #toNextSync(): number {
    const { bytes, start, end } = this.#queue
    const found = bytes.indexOf(0xff, start + 1)
    return (found === -1 || found > end ? end : found) - start
  }

  #junk(count: number): void {
    this.junkBytes += count
    this.#queue.skip(count)
    this.#clean = false
  }

  /** The place of the queue's head, counted as the marks are. */
  get #at(): number {
    return this.#taken - this.#queue.length
  }

  /** Forgets the marks before `at`; they lie `inFrame` or in what is no frame. Answers the next, if there is one. */
  #reach(at: number, inFrame: boolean): number | undefined {
    while (this.#marks.length > 0 && this.#marks[0]! < at) {
      this.#marks.shift()
      if (inFrame) this.inPieces = true
    }
    return this.#marks[0]
  }

  #drop(): void {
    if (this.#given > 0) {
      // The mark at which the frame itself begins is not within it.
      this.#reach(this.#at + 1, false)
      this.#reach(this.#at + this.#given, true)
    }
    this.#queue.skip(this.#given)
    this.#given = 0
  }
}
