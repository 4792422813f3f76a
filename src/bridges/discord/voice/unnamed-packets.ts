import type { Clock } from '../../../core/clock.ts'

/** Streams kept at most; the oldest gives way. */
const STREAMS_MOST = 8
/** Packets of one stream kept at most (2 s of 20 ms); the oldest gives way. */
const PACKETS_MOST = 100
/** A stream that is not named for this long is nobody's (ms). */
const KEPT_MS = 2_000

interface Stream {
  readonly since: number
  readonly datagrams: Buffer[]
}

/** Packets of somebody whose name has not come yet (op 5 and audio take different ways): their first syllable. */
export class UnnamedPackets {
  readonly #clock: Clock
  readonly #streams = new Map<number, Stream>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  keep(ssrc: number, datagram: Buffer): void {
    const now = this.#clock.now()
    const stream = this.#streams.get(ssrc)
    if (stream !== undefined && now - stream.since <= KEPT_MS) {
      if (stream.datagrams.length >= PACKETS_MOST) stream.datagrams.shift()
      stream.datagrams.push(datagram)
      return
    }
    this.#streams.delete(ssrc)
    if (this.#streams.size >= STREAMS_MOST) this.#streams.delete(this.#streams.keys().next().value!)
    this.#streams.set(ssrc, { since: now, datagrams: [datagram] })
  }

  /** What was kept of `ssrc`, in order; it is kept no longer. */
  take(ssrc: number): readonly Buffer[] {
    const stream = this.#streams.get(ssrc)
    this.#streams.delete(ssrc)
    return stream !== undefined && this.#clock.now() - stream.since <= KEPT_MS ? stream.datagrams : NONE
  }

  clear(): void {
    this.#streams.clear()
  }
}

const NONE: readonly Buffer[] = []
