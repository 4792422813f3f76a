import { MP3_HEADER_BYTES, type Mp3Header, mp3HeaderAt, sameStream } from './header.ts'
import { looksLikeMetadata, metadataAt, UNSURE } from './id3.ts'

const SMALLEST = 4096
/** Buffers up to this size are kept even when nearly empty. */
const KEPT = 65_536
const NO_BYTES = new Uint8Array(0)

/** A queue of bytes in one contiguous buffer that grows and shrinks. */
export class ByteQueue {
  /** Maximum size. */
  readonly limit: number
  /** Number of bytes before {@link start} that stay in the buffer, if they are still in it. */
  kept = 0
  #bytes = NO_BYTES
  #start = 0
  #end = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** The buffer; queued bytes are between {@link start} and {@link end}. Valid until the next `write` or `skip`. */
  get bytes(): Uint8Array {
    return this.#bytes
  }

  get start(): number {
    return this.#start
  }

  get end(): number {
    return this.#end
  }

  get length(): number {
    return this.#end - this.#start
  }

  /** Copies as much of `bytes` as fits; returns the number of bytes that did not. */
  write(bytes: Uint8Array): number {
    const taken = Math.min(bytes.length, this.limit - this.length)
    this.#makeRoom(taken)
    this.#bytes.set(taken === bytes.length ? bytes : bytes.subarray(0, taken), this.#end)
    this.#end += taken
    return bytes.length - taken
  }

  /** Drops the next `count` bytes, which must exist. */
  skip(count: number): void {
    this.#start += count
    if (this.#start < this.#end || this.kept > 0) return
    this.#start = 0
    this.#end = 0
  }

  clear(): void {
    this.#bytes = NO_BYTES
    this.#start = 0
    this.#end = 0
  }

  #makeRoom(count: number): void {
    const from = Math.max(0, this.#start - this.kept)
    const needed = this.#end - from + count
    const capacity = this.#bytes.length
    // One long response must not keep its memory for the rest of a call.
    const fits = needed <= capacity && (capacity <= KEPT || needed > capacity >> 3)
    if (fits && this.#end + count <= capacity) return
    const larger = needed <= SMALLEST ? SMALLEST : needed * 2
    const target = fits ? this.#bytes : new Uint8Array(Math.min(this.limit + this.kept, larger))
    target.set(this.#bytes.subarray(from, this.#end))
    this.#bytes = target
    this.#end -= from
    this.#start -= from
  }
}

/** Consecutive headers that confirm a stream where one is expected. */
const ENOUGH = 2
/** The same after junk, before a stream is known: WAV and Ogg bodies contain chance headers, and pairs of them. */
const ENOUGH_AFTER_JUNK = 4
/** Maximum number of marks; beyond it the results are only a few bytes each, and not files. */
const MARKS = 1_000
/** Positions examined per search: about 0.3 ms. Two megabytes of malicious data would take a thousand times that. */
const PLACES = 2048

/**
 * Splits bytes into frames of MPEG layer III. The frames found depend only on the bytes, not on how they were cut or
 * when they arrived. A frame directly after the last one is returned once it is complete; any other must be
 * followed by another matching header.
 */
export class Mp3Splitter {
  /** Number of bytes that were neither frame nor metadata. */
  invalidBytes = 0
  /** Bytes of ID3 and APE blocks. */
  metadataBytes = 0
  /** True if the last search stopped because of its time limit, not for lack of bytes. */
  paused = false
  /** True if the last frame starts a file, judging by metadata or a change of format. */
  startsFile = false
  /** True if bytes were lost between the last frame and the one before. */
  afterJunk = false
  /** True if the last frame starts exactly at the start of a service result. */
  atMark = false
  /** True if a result started within a frame: results are then pieces of one mp3. */
  inPieces = false
  /** Starts of results not reached yet, counted in bytes written. */
  #marks: number[] = []
  /** Number of bytes written, from the first to the end of the queue. */
  #taken = 0
  #queue: ByteQueue
  #ended = false
  #header: Mp3Header | undefined
  /** Format of the stream so far. */
  #format: Mp3Header | undefined
  /** True if the next byte directly follows a frame, a block or the start. */
  #clean = true
  /** True if metadata occurred after the last frame. */
  #betweenFiles = true
  /** Length of the frame returned last, still at the head of the queue. */
  #given = 0
  /** Remaining bytes of a metadata block. */
  #skipping = 0

  /** Holds at most `limit` bytes. */
  constructor(limit: number) {
    this.#queue = new ByteQueue(limit)
  }

  /** The buffer that contains the last frame. */
  get bytes(): Uint8Array {
    return this.#queue.bytes
  }

  /** Its offset in {@link bytes}. */
  get at(): number {
    return this.#queue.start
  }

  /** Keeps `count` bytes before the last frame, and the frame itself, available before {@link at} of the next ones. */
  keep(count: number): void {
    this.#queue.kept = count
  }

  /** Copies `bytes`; returns the number of bytes that did not fit and are lost. The last frame can move in memory. */
  write(bytes: Uint8Array): number {
    const lost = this.#queue.write(bytes)
    this.#taken += bytes.length - lost
    return lost
  }

  /** Marks the next byte as the start of a service result. */
  mark(): void {
    if (this.#marks.length < MARKS && this.#marks.at(-1) !== this.#taken) this.#marks.push(this.#taken)
  }

  /** Ends the input: the last frame need not be followed by anything. */
  end(): void {
    this.#ended = true
  }

  clear(): void {
    this.#given = 0
    this.#marks = []
    this.#queue.clear()
  }

  /**
   * Finds the next frame and returns its header; it is in `bytes` at `at`. Undefined if the bytes so far contain none,
   * or if the search is `paused`: then call again to continue.
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

  /** Skips a metadata block at the head of the queue, if any. */
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

  /** Classifies the head of the queue. A frame is remembered. */
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

  /** True ('frame') if the frame of `first` at the head is the first of `needed` consecutive headers. */
  #follow(first: Mp3Header, needed: number): 'frame' | 'junk' | 'wait' {
    const { bytes, start, end } = this.#queue
    let at = start
    let header = first
    for (let found = 1; found < needed; found++) {
      at += header.bytes
      if (at + MP3_HEADER_BYTES > end) {
        if (!this.#ended) return 'wait'
        // The end of the input confirms a frame like a header does, if it is at the end of a frame.
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

  /** Returns the number of bytes from the head to the next possible header. */
  #toNextSync(): number {
    const { bytes, start, end } = this.#queue
    const found = bytes.indexOf(0xff, start + 1)
    return (found === -1 || found > end ? end : found) - start
  }

  #junk(count: number): void {
    this.invalidBytes += count
    this.#queue.skip(count)
    this.#clean = false
  }

  /** Position of the queue's head, counted like the marks. */
  get #at(): number {
    return this.#taken - this.#queue.length
  }

  /** Drops the marks before `at`, which are `inFrame` or outside frames. Returns the next mark, if any. */
  #reach(at: number, inFrame: boolean): number | undefined {
    while (this.#marks.length > 0 && this.#marks[0]! < at) {
      this.#marks.shift()
      if (inFrame) this.inPieces = true
    }
    return this.#marks[0]
  }

  #drop(): void {
    if (this.#given > 0) {
      // The mark at the start of the frame itself is not within it.
      this.#reach(this.#at + 1, false)
      this.#reach(this.#at + this.#given, true)
    }
    this.#queue.skip(this.#given)
    this.#given = 0
  }
}
