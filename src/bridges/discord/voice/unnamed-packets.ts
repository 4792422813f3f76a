import type { Clock } from '../../../core/clock.ts'

/** Streams kept at most; the oldest gives way. */
const STREAMS_MOST = 8
/** Packets of one stream kept at most (2 s of 20 ms); the oldest gives way. */
const PACKETS_MOST = 100
/** A stream that is not named for this long is nobody's (ms). */
const KEPT_MS = 2_000

/** How long a stream is left to be named before it is asked whose it may be, and between two such times (ms). */
const UNNAMED_MS = 600
const ASK_MS = 200

export interface KeptPacket {
  readonly datagram: Buffer
  readonly at: number
}

interface Stream {
  readonly since: number
  askedAt: number
  readonly packets: KeptPacket[]
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
    const packet = { datagram, at: now }
    if (stream !== undefined && now - stream.since <= KEPT_MS) {
      if (stream.packets.length >= PACKETS_MOST) stream.packets.shift()
      stream.packets.push(packet)
      return
    }
    this.#streams.delete(ssrc)
    if (this.#streams.size >= STREAMS_MOST) this.#streams.delete(this.#streams.keys().next().value!)
    this.#streams.set(ssrc, { since: now, askedAt: now, packets: [packet] })
  }

  /** The packets of a stream that stays unnamed, so that somebody may find out whose it is; now and then only. */
  overdue(ssrc: number): readonly KeptPacket[] | undefined {
    const now = this.#clock.now()
    const stream = this.#streams.get(ssrc)
    if (!stream || now - stream.since < UNNAMED_MS || now - stream.askedAt < ASK_MS) return undefined
    stream.askedAt = now
    return stream.packets
  }

  /** What was kept of `ssrc`, in order; it is kept no longer. */
  take(ssrc: number): readonly KeptPacket[] {
    const stream = this.#streams.get(ssrc)
    this.#streams.delete(ssrc)
    return stream !== undefined && this.#clock.now() - stream.since <= KEPT_MS ? stream.packets : NONE
  }

  clear(): void {
    this.#streams.clear()
  }
}

const NONE: readonly KeptPacket[] = []
