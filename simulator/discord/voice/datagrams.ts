import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { type Clock, setTimer } from '../../../src/common/clock.ts'

/** Input of a fault: one datagram with audio. */
export interface Datagram {
  /** The speaker. */
  readonly userId: string
  readonly ssrc: number
  /** u16 */
  readonly sequence: number
  /** Number of datagrams in this direction before it. */
  readonly index: number
}

/** Frequency of a fault: a share of 0 to 1, drawn with the call's seeded random, or a function that decides. */
export type Chance = number | ((datagram: Datagram) => boolean)

/** Faults of datagrams in one direction. Everything is off until set, and can be changed at any time. */
export class DatagramFaults {
  /** Never arrives. */
  drop: Chance = 0
  /** Arrives twice. */
  duplicate: Chance = 0
  /** One bit of it is flipped, so that it cannot be decrypted. */
  corrupt: Chance = 0
  /** Arrives after the datagram that follows it. */
  reorder: Chance = 0
  /** Arrives `delayMs` late. */
  delay: Chance = 0
  delayMs = 200
  /** Number of occurrences of each fault. */
  readonly counts = { dropped: 0, duplicated: 0, corrupted: 0, reordered: 0, delayed: 0, stalled: 0 }
  #stalledMs: number | undefined

  /** Stalls the network for `ms` from the next datagram on; then everything arrives at once. */
  stall(ms: number): void {
    if (!(ms > 0)) throw new RangeError(`a stall lasts more than 0 ms, got ${ms}`)
    this.#stalledMs = ms
  }

  /** For the network: a stall was requested. */
  get stalling(): boolean {
    return this.#stalledMs !== undefined
  }

  /** For the network: takes the requested stall. */
  takeStall(): number | undefined {
    const ms = this.#stalledMs
    this.#stalledMs = undefined
    return ms
  }
}

/** One direction of the network, with its faults. Without faults it sends in the same tick. */
export class DatagramPath {
  readonly #faults: DatagramFaults
  readonly #clock: Clock
  readonly #random: () => number
  #sent = 0
  #overtaken: (() => void) | undefined
  #stalled: (() => void)[] | undefined

  constructor(faults: DatagramFaults, clock: Clock, random: () => number) {
    this.#faults = faults
    this.#clock = clock
    this.#random = random
  }

  /** Passes `bytes` to `send`: now, later, twice, changed or never. */
  pass(bytes: Buffer, about: Omit<Datagram, 'index'>, send: (bytes: Buffer) => void): void {
    if (this.#faultless) {
      this.#sent++
      send(bytes)
      return
    }
    const { counts, drop, corrupt, duplicate, reorder, delay, delayMs } = this.#faults
    const datagram = { ...about, index: this.#sent++ }
    if (this.#happens(drop, datagram)) {
      counts.dropped++
      return
    }
    const broken = this.#happens(corrupt, datagram)
    if (broken) counts.corrupted++
    const arriving = broken ? this.#turnBit(bytes) : bytes
    const go = () => this.#unlessStalled(() => send(arriving))
    if (this.#happens(delay, datagram)) {
      counts.delayed++
      setTimer(this.#clock, delayMs, go)
    } else if (!this.#overtaken && this.#happens(reorder, datagram)) {
      counts.reordered++
      this.#overtaken = go
      return
    } else go()
    if (this.#happens(duplicate, datagram)) {
      counts.duplicated++
      go()
    }
    const behind = this.#overtaken
    this.#overtaken = undefined
    behind?.()
  }

  /** No faults are set and no datagrams are held back: by far the most frequent case. */
  get #faultless(): boolean {
    const { drop, corrupt, duplicate, reorder, delay, stalling } = this.#faults
    const none = drop === 0 && corrupt === 0 && duplicate === 0 && reorder === 0 && delay === 0
    return none && !stalling && !this.#stalled && !this.#overtaken
  }

  #unlessStalled(send: () => void): void {
    const ms = this.#faults.takeStall()
    if (ms !== undefined && !this.#stalled) {
      this.#stalled = []
      setTimer(this.#clock, ms, () => {
        const all = this.#stalled ?? []
        this.#stalled = undefined
        for (const each of all) each()
      })
    }
    if (this.#stalled) {
      this.#faults.counts.stalled++
      this.#stalled.push(send)
    } else send()
  }

  #happens(chance: Chance, datagram: Datagram): boolean {
    if (typeof chance === 'function') return chance(datagram)
    return chance > 0 && this.#random() < chance
  }

  /** Flips a bit after the RTP header, so that the sender stays known. */
  #turnBit(bytes: Buffer): Buffer {
    const copy = Buffer.from(bytes)
    const at = Math.min(copy.length - 1, 12 + Math.floor(this.#random() * Math.max(1, copy.length - 12)))
    copy[at] = copy[at]! ^ (1 << Math.floor(this.#random() * 8))
    return copy
  }
}

/** Size of both messages of IP discovery (Discord, "Voice connections", UDP). */
const MESSAGE_BYTES = 74
const REQUEST = 1
const RESPONSE = 2
/** Size after the first four bytes. */
const BODY_BYTES = 70

/** The SSRC of a discovery request; undefined if `datagram` is not one. */
export function discoveryRequest(datagram: Buffer): number | undefined {
  if (datagram.length !== MESSAGE_BYTES) return undefined
  if (datagram.readUInt16BE(0) !== REQUEST || datagram.readUInt16BE(2) !== BODY_BYTES) return undefined
  return datagram.readUInt32BE(4)
}

/** The response: the address (text, followed by NUL) and port of the request's sender. */
export function discoveryResponse(ssrc: number, address: string, port: number): Buffer {
  const message = Buffer.alloc(MESSAGE_BYTES)
  message.writeUInt16BE(RESPONSE, 0)
  message.writeUInt16BE(BODY_BYTES, 2)
  message.writeUInt32BE(ssrc, 4)
  message.write(address, 8, 'latin1')
  message.writeUInt16BE(port, MESSAGE_BYTES - 2)
  return message
}

/** Source or destination of datagrams. */
export interface Address {
  readonly address: string
  readonly port: number
}

/** The UDP socket of a voice server. Errors of single datagrams count as loss. */
export class MediaSocket {
  readonly #socket: Socket
  #closing: Promise<void> | undefined

  private constructor(onDatagram: (datagram: Buffer, from: RemoteInfo) => void) {
    this.#socket = createSocket('udp4').on('message', onDatagram)
  }

  /** Binds on loopback, on a port that the system chooses. */
  static async bind(onDatagram: (datagram: Buffer, from: RemoteInfo) => void): Promise<MediaSocket> {
    const media = new MediaSocket(onDatagram)
    await new Promise<void>((settle, fail) => {
      media.#socket.once('error', fail)
      media.#socket.bind(0, '127.0.0.1', settle)
    })
    media.#socket.removeAllListeners('error').on('error', () => {})
    return media
  }

  get port(): number {
    return this.#socket.address().port
  }

  send(bytes: Buffer, { address, port }: Address): void {
    if (!this.#closing) this.#socket.send(bytes, port, address)
  }

  /** Sends from a separate port, like a third party. */
  forge(bytes: Buffer, { address, port }: Address): Promise<void> {
    const stranger = createSocket('udp4')
    return new Promise(settle => stranger.send(bytes, port, address, () => stranger.close(() => settle())))
  }

  close(): Promise<void> {
    this.#closing ??= new Promise(settle => this.#socket.close(() => settle()))
    return this.#closing
  }
}
