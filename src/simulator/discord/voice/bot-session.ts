import type { Clock } from '../../../core/clock.ts'
import type { BotEar } from './bot-ear.ts'
import type { DatagramPath } from './datagram-path.ts'
import { BotMember } from './dave/bot-member.ts'
import type { DaveGroup } from './dave/dave-group.ts'
import { type EncryptionMode, PacketCipher } from './encryption.ts'
import { Outbox } from './outbox.ts'
import { OPUS_PAYLOAD_TYPE, openPacket, type RtpHeader, sealPacket } from './rtp.ts'
import type { VoiceFaults } from './voice-faults.ts'

/** Where datagrams go. */
export interface Address {
  readonly address: string
  readonly port: number
}

/** The session's end of a web socket; it has one at most. */
export interface Wire {
  send(message: string | Buffer): void
  close(code: number): void
}

export interface BotSessionOptions {
  readonly userId: string
  readonly sessionId: string
  readonly token: string
  readonly ssrc: number
  /** The highest DAVE version the bot speaks. */
  readonly daveVersion: number
  readonly modes: readonly EncryptionMode[]
  readonly clock: Clock
  readonly faults: VoiceFaults
  readonly group: DaveGroup
  readonly ear: BotEar
  readonly toBot: DatagramPath
  readonly fromBot: DatagramPath
  readonly sendDatagram: (bytes: Buffer, to: Address) => void
}

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

  constructor(options: BotSessionOptions) {
    this.options = options
    const { userId, clock, faults, group } = options
    this.member = new BotMember({
      userId,
      clock,
      faults,
      externalSender: group.externalSender,
      tell: (op, body) => this.tell(op, body),
      tellBinary: (op, payload) => this.#post(this.outbox.binary(op, payload)),
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

  /** True when the bot has said op 5 with its own SSRC. */
  get spoke(): boolean {
    return this.#spoke
  }

  /** A numbered message; kept for a resume while there is no socket. */
  tell(op: number, body: unknown): void {
    this.#post(this.outbox.text(op, body))
  }

  /** What the bot chose in op 1. */
  select(mode: EncryptionMode, key: Uint8Array, address: Address): void {
    this.#cipher = new PacketCipher(mode, key)
    this.#address = address
  }

  speaking(flags: number): void {
    this.#spoke = true
    this.options.ear.speaking(flags)
  }

  /** One packet of user `userId` to the bot. */
  deliver(userId: string, header: RtpHeader, frame: Buffer, extension: Buffer | undefined): void {
    const cipher = this.#cipher
    const to = this.#address
    if (!cipher || !to) return
    this.#counter = (this.#counter + 1) >>> 0
    const packet = sealPacket(cipher, header, frame, this.#counter, extension)
    const { toBot, sendDatagram } = this.options
    const about = { userId, ssrc: header.ssrc, sequence: header.sequence }
    toBot.pass(packet, about, bytes => sendDatagram(bytes, to))
  }

  /** A datagram with the bot's SSRC. */
  receive(datagram: Buffer): void {
    if (!this.#cipher) return
    const about = { userId: this.userId, ssrc: this.ssrc, sequence: datagram.readUInt16BE(2) }
    this.options.fromBot.pass(datagram, about, this.#open)
  }

  readonly #open = (datagram: Buffer): void => {
    const { ear } = this.options
    const packet = this.#cipher && openPacket(this.#cipher, datagram)
    if (!packet) ear.counts.broken++
    else if (packet.payloadType === OPUS_PAYLOAD_TYPE) ear.packet(packet)
  }

  #post(message: string | Buffer): void {
    const { faults } = this.options
    if (faults.seqGaps > 0) this.outbox.skip(faults.seqGaps)
    faults.seqGaps = 0
    this.wire?.send(message)
  }
}
