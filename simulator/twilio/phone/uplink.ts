import { randomFrom } from '../../random.ts'
import type { Quirks } from './call-options.ts'
import type { PhoneWire } from './profile.ts'
import { Histogram } from './reports.ts'
import { PACKET_MS, SILENT_PACKET } from './voice.ts'

/** Tolerance for being on time: real timers fire up to a millisecond early. */
const EARLY_MS = 1

/**
 * The path from the phone to the server: messages keep their order, as on TCP, but can be delayed one by one (jitter).
 * Only the quirk `shuffleMs` lets media overtake each other.
 */
class Transit<M> {
  readonly #send: (message: M) => void
  readonly #jitterMs: number
  readonly #shuffleMs: number
  readonly #random: () => number
  readonly #held: { at: number; message: M }[] = []
  #latest = Number.NEGATIVE_INFINITY

  constructor({ jitterMs = 0, shuffleMs = 0, seed = 1 }: Quirks, send: (message: M) => void) {
    this.#send = send
    this.#jitterMs = jitterMs
    this.#shuffleMs = shuffleMs
    this.#random = randomFrom(seed)
  }

  /** Sends `message`, ready at `due`, now or after its delay. */
  add(due: number, now: number, message: M): void {
    const delay = this.#jitterMs === 0 ? 0 : this.#random() * 2 * this.#jitterMs
    const at = Math.max(this.#latest, due + delay)
    this.#latest = at
    if (this.#held.length === 0 && at <= now + EARLY_MS) this.#send(message)
    else this.#held.push({ at, message })
  }

  /** Sends a media message, which others can overtake with the quirk `shuffleMs`. */
  addMedia(due: number, now: number, message: M): void {
    if (this.#shuffleMs === 0) {
      this.add(due, now, message)
      return
    }
    const at = due + this.#random() * this.#shuffleMs
    this.#latest = Math.max(this.#latest, at)
    const before = this.#held.findIndex(held => held.at > at)
    this.#held.splice(before < 0 ? this.#held.length : before, 0, { at, message })
    this.tick(now)
  }

  /** Sends everything that is due by `now`. */
  tick(now: number): void {
    while (this.#held.length > 0 && (this.#held[0]?.at ?? 0) <= now + EARLY_MS) {
      const next = this.#held.shift()
      if (next) this.#send(next.message)
    }
  }

  /** Sends everything at once, before the last message. */
  flush(): void {
    for (const { message } of this.#held.splice(0)) this.#send(message)
  }
}

/** The media message that `badMessage` replaces. */
const BAD_CHUNK = 5

export interface UplinkOptions {
  wire: PhoneWire
  quirks: Quirks
  /** Origin of `timestamp`, on the line's grid (milliseconds of the call's clock). */
  startedAt: number
  /** Speech of the participant at a moment; undefined is silence. */
  packet: (due: number) => string | undefined
  /** Puts a message on the socket. */
  send: (message: string | Uint8Array) => void
  /** Called for every audio message as it falls due, with its timestamp. */
  onSent: ((due: number, now: number, timestampMs: number) => void) | undefined
}

/**
 * The participant's voice on its way to the server: packet number n covers the 20 ms from `startedAt + n × 20` and
 * is sent when that time is over. The schedule is computed, never added up, so that it does not drift over hours.
 */
export class Uplink {
  readonly #options: UplinkOptions
  readonly #transit: Transit<string | Uint8Array>
  #packets = 0
  #messages = 0
  /** Delay of messages before the socket: a busy machine, not a fault of the server. */
  readonly lateness = new Histogram()

  constructor(options: UplinkOptions) {
    this.#options = options
    this.#transit = new Transit(options.quirks, options.send)
  }

  /** Number of media messages so far. */
  get messages(): number {
    return this.#messages
  }

  /** Sends everything that is due. */
  tick(now: number): void {
    this.#transit.tick(now)
    const { startedAt } = this.#options
    for (;;) {
      const due = startedAt + (this.#packets + 1) * PACKET_MS
      if (due > now + EARLY_MS) return
      this.#sendPacket(due, now, this.#packets * PACKET_MS)
      this.#packets++
    }
  }

  /** Queues a message that keeps its place among the audio: a key, a mark. */
  inOrder(now: number, message: string): void {
    this.#transit.add(now, now, message)
  }

  /** Sends everything that is held back. */
  flush(): void {
    this.#transit.flush()
  }

  #sendPacket(due: number, now: number, timestamp: number): void {
    const { wire, quirks, packet, onSent } = this.#options
    this.#messages++
    this.lateness.add(now - due)
    const bad = this.#messages === BAD_CHUNK && quirks.badMessage
    const message = bad ? badMessage(bad, wire) : wire.media(timestamp, packet(due) ?? SILENT_PACKET)
    this.#transit.addMedia(due, now, message)
    onSent?.(due, now, timestamp)
  }
}

function badMessage(kind: NonNullable<Quirks['badMessage']>, wire: PhoneWire): string | Uint8Array {
  switch (kind) {
    case 'base64':
      return wire.media(80, '~not base64~')
    case 'binary':
      return Buffer.alloc(160, 0xff)
    case 'oversized':
      return wire.media(80, 'A'.repeat(1_048_576))
    case 'json':
      return '{"event":"media",'
  }
}
