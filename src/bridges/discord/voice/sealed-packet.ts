import { createCipheriv, createDecipheriv } from 'node:crypto'
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'

/** RTP's payload type of audio at Discord. */
const AUDIO_TYPE = 120
const HEADER_BYTES = 12
const TAG_BYTES = 16
/** The counter behind the ciphertext, which the rest of the nonce is filled up with zeros to. */
const COUNTER_BYTES = 4

/** What one voice session is sealed with; the modes' names are Discord's. */
export interface SessionKey {
  readonly mode: string
  readonly key: Uint8Array
}

export const GCM_MODE = 'aead_aes256_gcm_rtpsize'
export const XCHACHA_MODE = 'aead_xchacha20_poly1305_rtpsize'

// Filled anew for every packet; nothing else runs in between.
const GCM_NONCE = Buffer.alloc(12)
const XCHACHA_NONCE = Buffer.alloc(24)

/** `datagram` is an audio packet by its looks, and not RTCP, video, or the answer to a keep-alive. */
export function isAudio(datagram: Buffer): boolean {
  return (
    datagram.length >= HEADER_BYTES + TAG_BYTES + COUNTER_BYTES &&
    datagram[0]! >> 6 === 2 &&
    (datagram[1]! & 0x7f) === AUDIO_TYPE
  )
}

/**
 * What is sealed in an audio packet: without header extension and padding, in memory of its own. Undefined when it was
 * not sealed with this key, or does not hold what it says.
 */
export function opened(datagram: Buffer, { mode, key }: SessionKey): Buffer | undefined {
  const first = datagram[0]!
  const extended = (first & 0x10) !== 0
  // "rtpsize": the fixed header, contributors and the extension's own header stay in clear and are authenticated.
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
    const decipher = createDecipheriv('aes-256-gcm', key, GCM_NONCE)
    decipher.setAAD(datagram.subarray(0, clear))
    decipher.setAuthTag(datagram.subarray(end - TAG_BYTES, end))
    const payload = decipher.update(datagram.subarray(clear, end - TAG_BYTES))
    decipher.final()
    return payload
  }
  if (mode !== XCHACHA_MODE)
    throw new RangeError(`packets are sealed by ${GCM_MODE} or ${XCHACHA_MODE}, got ${mode}`)
  datagram.copy(XCHACHA_NONCE, 0, end)
  const cipher = xchacha20poly1305(key, XCHACHA_NONCE, datagram.subarray(0, clear))
  const plain = cipher.decrypt(datagram.subarray(clear, end))
  return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength)
}

/** `payload` behind `header` (12 bytes), sealed; `counter` must never come twice under one key. */
export function sealed(header: Buffer, payload: Buffer, { mode, key }: SessionKey, counter: number): Buffer {
  const xchacha = mode === XCHACHA_MODE
  const nonce = xchacha ? XCHACHA_NONCE : GCM_NONCE
  nonce.writeUInt32BE(counter, 0)
  const tail = nonce.subarray(0, COUNTER_BYTES)
  if (xchacha) return Buffer.concat([header, xchacha20poly1305(key, nonce, header).encrypt(payload), tail])
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(header)
  const text = cipher.update(payload)
  cipher.final()
  return Buffer.concat([header, text, cipher.getAuthTag(), tail])
}
