import { type Clock, setTimer } from '../../../src/common/clock.ts'
import type { BotReceiver } from './bot-receiver.ts'
import type { Address, DatagramPath } from './datagrams.ts'
import { BotMember } from './dave/members.ts'
import { u16 } from './dave/mls.ts'
import { Close } from './gateway-message.ts'
import {
  type EncryptionMode,
  OPUS_PAYLOAD_TYPE,
  openPacket,
  PacketCipher,
  type RtpHeader,
  sealPacket,
} from './rtp.ts'
import type { VoiceFaults } from './voice-faults.ts'

interface Numbered {
  readonly seq: number
  readonly message: string | Buffer
}

/** Binary messages carry the number in 16 bits. */
const NUMBERS = 0xffff
/** Maximum without an acknowledgment; beyond it the oldest is forgotten. */
const MOST = 1_000

/**
 * Numbers a session's messages and keeps them until the client has acknowledged them, so that a resumed session misses
 * nothing. Numbers start at 1: clients interpret 0 as none.
 */
class Outbox {
  readonly #kept: Numbered[] = []
  #seq = 0

  text(op: number, body: unknown): string {
    const seq = this.#next()
    return this.#keep(seq, JSON.stringify({ op, d: body, seq }))
  }

  binary(op: number, payload: Uint8Array): Buffer {
    const seq = this.#next()
    return this.#keep(seq, Buffer.concat([u16(seq), Buffer.of(op), payload]))
  }

  /** Skips `count` numbers, as if messages had been lost in transit. */
  skip(count: number): void {
    for (let each = 0; each < count; each++) this.#next()
  }

  /** Everything up to `seq` has arrived. */
  acknowledge(seq: number): void {
    const at = this.#kept.findIndex(kept => kept.seq === seq)
    if (at >= 0) this.#kept.splice(0, at + 1)
  }

  /** Unacknowledged messages, oldest first. */
  unacknowledged(): (string | Buffer)[] {
    return this.#kept.map(({ message }) => message)
  }

  #next(): number {
    this.#seq = (this.#seq % NUMBERS) + 1
    return this.#seq
  }

  #keep<M extends string | Buffer>(seq: number, message: M): M {
    if (this.#kept.length === MOST) this.#kept.shift()
    this.#kept.push({ seq, message })
    return message
  }
}

/** The session's end of a WebSocket; it has at most one. */
export interface Wire {
  send(message: string | Buffer): void
  close(code: number): void
  /** Without a close frame. */
  drop(): void
}

export interface BotSessionOptions {
  readonly userId: string
  readonly sessionId: string
  readonly token: string
  readonly ssrc: number
  /** The highest DAVE version of the bot. */
  readonly daveVersion: number
  readonly modes: readonly EncryptionMode[]
  readonly clock: Clock
  readonly faults: VoiceFaults
  /** The payload of op 25. */
  readonly externalSender: Buffer
  readonly receiver: BotReceiver
  readonly toBot: DatagramPath
  readonly fromBot: DatagramPath
  readonly send: (bytes: Buffer, to: Address) => void
  readonly restriction: (userId: string) => { readonly mute?: boolean; readonly deaf?: boolean } | undefined
  /** For the others in the call. */
  readonly onPacket: (session: BotSession, header: RtpHeader, frame: Buffer) => void
  readonly onSpeaking: (session: BotSession, flags: number) => void
}

/** Packets can overtake the Speaking message, but not by more than this. */
const SPEAKING_WITHIN_MS = 1_000

/** A bot's session in a call. It outlives its sockets: a bot whose socket broke resumes it on another one. */
export class BotSession {
  readonly options: BotSessionOptions
  readonly outbox = new Outbox()
  /** The bot's end of DAVE. */
  readonly member: BotMember
  wire: Wire | undefined
  #cipher: PacketCipher | undefined
  #address: Address | undefined
  #counter = 0
  #spoke = false
  #deadline: Disposable | undefined
  #expiry: Disposable | undefined

  constructor(options: BotSessionOptions) {
    this.options = options
    const { userId, clock, faults, externalSender } = options
    this.member = new BotMember({
      userId,
      clock,
      faults,
      externalSender,
      tell: (op, body) => this.tell(op, body),
      tellBinary: (op, payload) => this.#post(this.#number().binary(op, payload)),
    })
  }

  get userId(): string {
    return this.options.userId
  }

  get ssrc(): number {
    return this.options.ssrc
  }

  /** True from Session Description on. */
  get connected(): boolean {
    return this.#cipher !== undefined
  }

  /** The bot's own address for packets (op 1). */
  get address(): Address | undefined {
    return this.#address
  }

  /** Sends a numbered message; kept for a resume while there is no socket. */
  tell(op: number, body: unknown): void {
    this.#post(this.#number().text(op, body))
  }

  /** Applies the bot's choice in op 1. */
  select(mode: EncryptionMode, key: Uint8Array, address: Address): void {
    this.#cipher = new PacketCipher(mode, key)
    this.#address = address
  }

  speaking(flags: number): void {
    this.#spoke = true
    this.options.receiver.speaking(flags)
    this.options.onSpeaking(this, flags)
  }

  /** Sends one packet of user `userId` to the bot. */
  deliver(userId: string, header: RtpHeader, frame: Buffer, extension: Buffer | undefined): void {
    const cipher = this.#cipher
    const to = this.#address
    if (!cipher || !to || this.options.restriction(this.userId)?.deaf) return
    this.#counter = (this.#counter + 1) >>> 0
    const packet = sealPacket(cipher, header, frame, this.#counter, extension)
    const { toBot, send } = this.options
    const about = { userId, ssrc: header.ssrc, sequence: header.sequence }
    toBot.pass(packet, about, bytes => send(bytes, to))
  }

  /** Handles a datagram with the bot's SSRC. */
  receive(datagram: Buffer): void {
    if (!this.#cipher) return
    if (!this.#spoke) this.#expectSpeaking()
    const about = { userId: this.userId, ssrc: this.ssrc, sequence: datagram.readUInt16BE(2) }
    this.options.fromBot.pass(datagram, about, this.#open)
  }

  readonly #open = (datagram: Buffer): void => {
    const { receiver, onPacket, restriction } = this.options
    if (restriction(this.userId)?.mute) return
    const packet = this.#cipher && openPacket(this.#cipher, datagram)
    if (!packet) receiver.counts.broken++
    if (packet?.payloadType !== OPUS_PAYLOAD_TYPE) return
    receiver.packet(packet)
    onPacket(this, packet, packet.frame)
  }

  /** "You must send at least one Opcode 5 Speaking payload before sending voice data" (Discord, "Voice connections"). */
  #expectSpeaking(): void {
    this.#deadline ??= setTimer(this.options.clock, SPEAKING_WITHIN_MS, () => {
      if (!this.#spoke) this.wire?.close(Close.badRequest)
    })
  }

  /** The bot's socket is gone: the bot can resume the session within `ms`; otherwise `end` is called. */
  expireAfter(ms: number, end: () => void): void {
    this.#expiry?.[Symbol.dispose]()
    this.#expiry = setTimer(this.options.clock, ms, () => {
      if (!this.wire) end()
    })
  }

  /** The session is over and must no longer be used. */
  end(): void {
    this.#deadline?.[Symbol.dispose]()
    this.#expiry?.[Symbol.dispose]()
  }

  #number(): Outbox {
    const { faults } = this.options
    this.outbox.skip(faults.seqGaps)
    faults.seqGaps = 0
    return this.outbox
  }

  #post(message: string | Buffer): void {
    const { faults } = this.options
    this.wire?.send(message)
    if (faults.repeatMessages <= 0) return
    faults.repeatMessages--
    this.wire?.send(message)
  }
}
