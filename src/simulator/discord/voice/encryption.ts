import { createCipheriv, createDecipheriv } from 'node:crypto'
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

  /** `key` is 32 bytes. */
  constructor(mode: EncryptionMode, key: Uint8Array) {
    if (key.length !== 32) throw new RangeError(`a key has 32 bytes, got ${key.length}`)
    this.mode = mode
    this.#key = key
  }

  /** Ciphertext and tag; `header` is authenticated and stays in clear. */
  seal(header: Uint8Array, plain: Uint8Array, counter: number): Buffer {
    const nonce = this.#nonce(counter)
    if (this.mode === 'aead_xchacha20_poly1305_rtpsize')
      return Buffer.from(xchacha20poly1305(this.#key, nonce, header).encrypt(plain))
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    cipher.setAAD(header)
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }

  /** Undefined if key, header, counter and ciphertext do not match. */
  open(header: Uint8Array, sealed: Uint8Array, counter: number): Buffer | undefined {
    const nonce = this.#nonce(counter)
    try {
      if (this.mode === 'aead_xchacha20_poly1305_rtpsize')
        return Buffer.from(xchacha20poly1305(this.#key, nonce, header).decrypt(sealed))
      const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce)
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
