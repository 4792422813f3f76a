import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'

/** Receives one user's packets as they arrive from the network: in any order, with gaps and duplicates. */
export interface PacketSink {
  /**
   * One Opus packet, decrypted and of valid size; the sink owns its memory. `sequence` (16 bits) and `timestamp` (32
   * bits, 48 kHz) are RTP's and wrap around. Another `ssrc` is another stream of the same user.
   */
  packet(sequence: number, timestamp: number, ssrc: number, opus: Uint8Array): void
}

/** A source of users' packets: a voice channel. */
export interface PacketSource {
  /** Starts with the user's next packet. Replaces the user's previous sink. */
  listen(userId: string, sink: PacketSink): void
  /** Takes effect immediately. With `sink`, only if it is still the current one. */
  unlisten(userId: string, sink?: PacketSink): void
  /** Settles when no more packets will arrive. Never rejects. */
  readonly ended: Promise<unknown>
}

/** Destination of packets for a channel. */
export interface PacketPlayer {
  /** Packets reach the channel, with the encryption it requires; otherwise they are lost. */
  readonly playable: boolean
  /** One Opus packet of 20 ms. Borrowed for the call only. */
  play(opus: Uint8Array): void
  /** Shows the ring around the bot's avatar; playing audio also turns it on. */
  setSpeaking(on: boolean): void
}

/** RTP payload type of Discord's audio. */
const AUDIO_TYPE = 120
const HEADER_BYTES = 12
const TAG_BYTES = 16
/** Size of the counter after the ciphertext. The rest of the nonce is zero. */
const COUNTER_BYTES = 4

/** Encryption mode and key of a voice session; the mode names are Discord's. */
export interface SessionKey {
  readonly mode: string
  readonly key: Uint8Array
}

export const GCM_MODE = 'aead_aes256_gcm_rtpsize'
export const XCHACHA_MODE = 'aead_xchacha20_poly1305_rtpsize'

// Refilled for every packet, synchronously.
const GCM_NONCE = Buffer.alloc(12)
const XCHACHA_NONCE = Buffer.alloc(24)

/** Keys as Node needs them: making one takes five times as long as decrypting a packet. */
const keyObjects = new WeakMap<Uint8Array, KeyObject>()

function keyObjectOf(key: Uint8Array): KeyObject {
  let made = keyObjects.get(key)
  if (!made) {
    made = createSecretKey(key)
    keyObjects.set(key, made)
  }
  return made
}

/** Returns whether `datagram` looks like an audio packet, not RTCP, video or a keep-alive response. */
export function isAudio(datagram: Buffer): boolean {
  return (
    datagram.length >= HEADER_BYTES + TAG_BYTES + COUNTER_BYTES &&
    datagram[0]! >> 6 === 2 &&
    (datagram[1]! & 0x7f) === AUDIO_TYPE
  )
}

/**
 * Decrypts the payload of an audio packet into new memory, without header extension and padding. Returns undefined if
 * the key does not match or the packet is malformed.
 */
export function opened(datagram: Buffer, { mode, key }: SessionKey): Buffer | undefined {
  const first = datagram[0]!
  const extended = (first & 0x10) !== 0
  // "rtpsize": the fixed header, contributors and the extension's own header are authenticated, but not encrypted.
  const clear = HEADER_BYTES + (first & 0x0f) * 4 + (extended ? 4 : 0)
  const end = datagram.length - COUNTER_BYTES
  if (end - TAG_BYTES < clear) return undefined
  let payload: Buffer
  try {
    payload = unsealed(datagram, clear, end, mode, key)
  } catch {
    return undefined
  }
  let from = 0
  let to = payload.length
  if (extended) from = datagram.readUInt16BE(clear - 2) * 4
  if ((first & 0x20) !== 0 && to > 0) to -= payload[to - 1]!
  if (from > to) return undefined
  return from === 0 && to === payload.length ? payload : payload.subarray(from, to)
}

function unsealed(datagram: Buffer, clear: number, end: number, mode: string, key: Uint8Array): Buffer {
  if (mode === GCM_MODE) {
    datagram.copy(GCM_NONCE, 0, end)
    const decipher = createDecipheriv('aes-256-gcm', keyObjectOf(key), GCM_NONCE)
    decipher.setAAD(datagram.subarray(0, clear))
    decipher.setAuthTag(datagram.subarray(end - TAG_BYTES, end))
    const payload = decipher.update(datagram.subarray(clear, end - TAG_BYTES))
    decipher.final()
    return payload
  }
  if (mode !== XCHACHA_MODE)
    throw new RangeError(`unsupported encryption mode ${mode}, expected ${GCM_MODE} or ${XCHACHA_MODE}`)
  datagram.copy(XCHACHA_NONCE, 0, end)
  const cipher = xchacha20poly1305(key, XCHACHA_NONCE, datagram.subarray(0, clear))
  const plain = cipher.decrypt(datagram.subarray(clear, end))
  return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength)
}

/** Encrypts `payload` and puts it after `header` (12 bytes). `counter` must be unique per key. */
export function sealed(header: Buffer, payload: Buffer, { mode, key }: SessionKey, counter: number): Buffer {
  const xchacha = mode === XCHACHA_MODE
  const nonce = xchacha ? XCHACHA_NONCE : GCM_NONCE
  nonce.writeUInt32BE(counter, 0)
  const tail = nonce.subarray(0, COUNTER_BYTES)
  if (xchacha) return Buffer.concat([header, xchacha20poly1305(key, nonce, header).encrypt(payload), tail])
  const cipher = createCipheriv('aes-256-gcm', keyObjectOf(key), nonce)
  cipher.setAAD(header)
  const text = cipher.update(payload)
  cipher.final()
  return Buffer.concat([header, text, cipher.getAuthTag(), tail])
}
