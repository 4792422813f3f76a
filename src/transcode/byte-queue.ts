const SMALLEST = 4096
/** Memory up to this size is kept however little waits in it. */
const KEPT = 65_536

/** Bytes that wait to be read, in one piece of memory that grows and shrinks with them. */
export class ByteQueue {
  /** The most it holds. */
  readonly limit: number
  #bytes = new Uint8Array(0)
  #start = 0
  #end = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** The memory; what waits lies from {@link start} to {@link end}. Valid until the next `write` or `skip`. */
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

  /** Copies `bytes` in, as far as they fit; returns how many did not. */
  write(bytes: Uint8Array): number {
    const taken = Math.min(bytes.length, this.limit - this.length)
    this.#makeRoom(taken)
    this.#bytes.set(taken === bytes.length ? bytes : bytes.subarray(0, taken), this.#end)
    this.#end += taken
    return bytes.length - taken
  }

  /** Forgets the next `count` bytes, which must be there. */
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
    // One long answer must not keep its room for the rest of a call.
    const fits = needed <= capacity && (capacity <= KEPT || needed > capacity >> 3)
    if (fits && this.#end + count <= capacity) return
    const target = fits ? this.#bytes : new Uint8Array(Math.min(this.limit, Math.max(SMALLEST, needed * 2)))
    target.set(this.#bytes.subarray(this.#start, this.#end))
    this.#bytes = target
    this.#end -= this.#start
    this.#start = 0
  }
}
