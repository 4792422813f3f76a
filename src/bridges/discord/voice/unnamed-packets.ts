import type { Clock } from '../../../common/clock.ts'

/** Maximum number of streams; the oldest is dropped. */
const STREAMS_MOST = 8
/** Maximum number of packets per stream (2 s of 20 ms); the oldest is dropped. */
const PACKETS_MOST = 100
/** A stream that is not identified within this time is dropped (ms). */
const STREAM_KEPT_MS = 2_000

/** Wait for op 5 before trial decryption, and interval between trials (ms). */
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

/**
 * Packets of speakers who are not identified yet. Op 5 and audio take different ways, and these are the first
 * syllables.
 */
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
    if (stream !== undefined && now - stream.since <= STREAM_KEPT_MS) {
      if (stream.packets.length >= PACKETS_MOST) stream.packets.shift()
      stream.packets.push(packet)
      return
    }
    this.#streams.delete(ssrc)
    if (this.#streams.size >= STREAMS_MOST) this.#streams.delete(this.#streams.keys().next().value!)
    this.#streams.set(ssrc, { since: now, askedAt: now, packets: [packet] })
  }

  /** Returns the packets of a stream that should be identified by trial decryption now, otherwise undefined. */
  overdue(ssrc: number): readonly KeptPacket[] | undefined {
    const now = this.#clock.now()
    const stream = this.#streams.get(ssrc)
    if (!stream || now - stream.since < UNNAMED_MS || now - stream.askedAt < ASK_MS) return undefined
    stream.askedAt = now
    return stream.packets
  }

  /** Removes and returns the packets of `ssrc`, in order. */
  take(ssrc: number): readonly KeptPacket[] {
    const stream = this.#streams.get(ssrc)
    this.#streams.delete(ssrc)
    return stream !== undefined && this.#clock.now() - stream.since <= STREAM_KEPT_MS ? stream.packets : NONE
  }

  clear(): void {
    this.#streams.clear()
  }
}

const NONE: readonly KeptPacket[] = []
