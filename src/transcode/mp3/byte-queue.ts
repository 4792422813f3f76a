const SMALLEST = 4096
/** Buffers up to this size are kept even when nearly empty. */
const KEPT = 65_536

/** A queue of bytes in one contiguous buffer that grows and shrinks. */
export class ByteQueue {
  /** Maximum size. */
  readonly limit: number
  #bytes = new Uint8Array(0)
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
    if (this.#start < this.#end) return
    this.#start = 0
    this.#end = 0
  }

  clear(): void {
    this.#bytes = new Uint8Array(0)
    this.#start = 0
    this.#end = 0
  }

  #makeRoom(count: number): void {
    const needed = this.length + count
    const capacity = this.#bytes.length
    // One long response must not keep its memory for the rest of a call.
    const fits = needed <= capacity && (capacity <= KEPT || needed > capacity >> 3)
    if (fits && this.#end + count <= capacity) return
    const target = fits ? this.#bytes : new Uint8Array(Math.min(this.limit, Math.max(SMALLEST, needed * 2)))
    target.set(this.#bytes.subarray(this.#start, this.#end))
    this.#bytes = target
    this.#end -= this.#start
    this.#start = 0
  }
}
