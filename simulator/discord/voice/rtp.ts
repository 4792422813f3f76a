import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'

/** Packet encryption between a client and the voice server; the names are Discord's. */
export const ENCRYPTION_MODES = ['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'] as const

/** Packet encryption, by Discord’s name for it. */
export type EncryptionMode = (typeof ENCRYPTION_MODES)[number]

/** Bytes of the tag after every ciphertext. */
export const TAG_BYTES = 16
/** Bytes of the counter at the end of a packet; the rest of the nonce is zeros. */
export const COUNTER_BYTES = 4

const NONCE_BYTES = { aead_aes256_gcm_rtpsize: 12, aead_xchacha20_poly1305_rtpsize: 24 } as const

export function isEncryptionMode(name: unknown): name is EncryptionMode {
  return ENCRYPTION_MODES.some(mode => mode === name)
}

/** Seals one side's packets with one key; `counter` (u32) must never repeat. */
export class PacketCipher {
  readonly mode: EncryptionMode
  readonly #key: Uint8Array
  /** The same for AES: preparing it for every packet takes longer than the packet. */
  readonly #secret: KeyObject

  /** `key` is 32 bytes. */
  constructor(mode: EncryptionMode, key: Uint8Array) {
    if (key.length !== 32) throw new RangeError(`a key has 32 bytes, got ${key.length}`)
    this.mode = mode
    this.#key = key
    this.#secret = createSecretKey(key)
  }

  /** Ciphertext and tag; `header` is authenticated and stays in clear. */
  seal(header: Uint8Array, plain: Uint8Array, counter: number): Buffer {
    const nonce = this.#nonce(counter)
    if (this.mode === 'aead_xchacha20_poly1305_rtpsize')
      return Buffer.from(xchacha20poly1305(this.#key, nonce, header).encrypt(plain))
    const cipher = createCipheriv('aes-256-gcm', this.#secret, nonce)
    cipher.setAAD(header)
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }

  /** Undefined if key, header, counter and ciphertext do not match. */
  open(header: Uint8Array, sealed: Uint8Array, counter: number): Buffer | undefined {
    const nonce = this.#nonce(counter)
    try {
      if (this.mode === 'aead_xchacha20_poly1305_rtpsize')
        return Buffer.from(xchacha20poly1305(this.#key, nonce, header).decrypt(sealed))
      const decipher = createDecipheriv('aes-256-gcm', this.#secret, nonce)
      decipher.setAAD(header)
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
    } catch {
      return undefined
    }
  }

  #nonce(counter: number): Buffer {
    const nonce = Buffer.alloc(NONCE_BYTES[this.mode])
    nonce.writeUInt32BE(counter)
    return nonce
  }
}

/** The payload type of Opus on Discord; others are video or retransmission. */
export const OPUS_PAYLOAD_TYPE = 120

/** Header of a frame (RFC 3550); the numbers wrap. */
export interface RtpHeader {
  /** u16 */
  readonly sequence: number
  /** u32, 48 000 per second. */
  readonly timestamp: number
  /** u32 */
  readonly ssrc: number
}

/** A packet that could be opened. */
export interface OpenedPacket extends RtpHeader {
  readonly payloadType: number
  /** Payload without extension and padding: Opus, or Opus under DAVE. */
  readonly frame: Buffer
}

const FIXED_BYTES = 12
const EXTENSION_HEAD_BYTES = 4

/**
 * Seals one packet for the wire. `extension` is the body of a one-byte header extension (RFC 8285), a multiple of four
 * bytes: its header stays in clear, its body is encrypted, as in Discord's `rtpsize` modes.
 */
export function sealPacket(
  cipher: PacketCipher,
  { sequence, timestamp, ssrc }: RtpHeader,
  frame: Uint8Array,
  counter: number,
  extension?: Uint8Array,
): Buffer {
  if (extension && extension.length % 4 !== 0)
    throw new RangeError(`an extension has whole words of 4 bytes, got ${extension.length} bytes`)
  const header = Buffer.alloc(extension ? FIXED_BYTES + EXTENSION_HEAD_BYTES : FIXED_BYTES)
  header[0] = extension ? 0x90 : 0x80
  header[1] = OPUS_PAYLOAD_TYPE
  header.writeUInt16BE(sequence & 0xffff, 2)
  header.writeUInt32BE(timestamp >>> 0, 4)
  header.writeUInt32BE(ssrc >>> 0, 8)
  if (extension) {
    header.writeUInt16BE(0xbede, FIXED_BYTES)
    header.writeUInt16BE(extension.length / 4, FIXED_BYTES + 2)
  }
  const plain = extension ? Buffer.concat([extension, frame]) : frame
  const tail = Buffer.alloc(COUNTER_BYTES)
  tail.writeUInt32BE(counter >>> 0)
  return Buffer.concat([header, cipher.seal(header, plain, counter >>> 0), tail])
}

/** The SSRC of a datagram; undefined if it is not RTP version 2. */
export function ssrcOf(packet: Buffer): number | undefined {
  if (packet.length < FIXED_BYTES || packet[0]! >> 6 !== 2) return undefined
  return packet.readUInt32BE(8)
}

/** Opens a packet; undefined if it is invalid, or not sealed with this cipher. */
export function openPacket(cipher: PacketCipher, packet: Buffer): OpenedPacket | undefined {
  const ssrc = ssrcOf(packet)
  if (ssrc === undefined) return undefined
  const first = packet[0]!
  const extended = (first & 0x10) !== 0
  const fixed = FIXED_BYTES + (first & 0x0f) * 4
  const headerBytes = fixed + (extended ? EXTENSION_HEAD_BYTES : 0)
  const end = packet.length - COUNTER_BYTES
  if (end - headerBytes < TAG_BYTES) return undefined
  const counter = packet.readUInt32BE(end)
  const plain = cipher.open(packet.subarray(0, headerBytes), packet.subarray(headerBytes, end), counter)
  if (!plain) return undefined
  const from = extended ? packet.readUInt16BE(fixed + 2) * 4 : 0
  const padding = first & 0x20 ? (plain.at(-1) ?? 0) : 0
  const to = plain.length - padding
  if (from > to) return undefined
  return {
    payloadType: packet[1]! & 0x7f,
    sequence: packet.readUInt16BE(2),
    timestamp: packet.readUInt32BE(4),
    ssrc,
    frame: plain.subarray(from, to),
  }
}

const BYTES = 60

/** A datagram that looks like a packet of `ssrc` and cannot be decrypted. */
export function forgedPacket(ssrc: number, random: () => number): Buffer {
  const packet = Buffer.from(Uint8Array.from({ length: BYTES }, () => Math.floor(random() * 256)))
  packet[0] = 0x80
  packet[1] = OPUS_PAYLOAD_TYPE
  packet.writeUInt32BE(ssrc, 8)
  return packet
}
