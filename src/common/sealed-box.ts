import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts texts that are stored where others can read them (AES-256-GCM). A sealed text opens only with the same secret,
 * and only at its place, so that entries cannot be exchanged.
 */
export class SealedBox {
  readonly #key: Buffer

  constructor(secret: string) {
    this.#key = createHash('sha256').update(secret).digest()
  }

  /** Returns `text` encrypted, in base64url. `place`: the name under which it is stored. */
  seal(text: string, place: string): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(CIPHER, this.#key, iv, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(place))
    const sealed = Buffer.concat([cipher.update(text), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  /** Returns the text sealed at `place`; undefined if it was changed, belongs elsewhere, or has another secret. */
  open(sealed: string, place: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length < IV_BYTES + TAG_BYTES) return undefined
    const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)]
    const cipher = createDecipheriv(CIPHER, this.#key, iv, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(place)).setAuthTag(tag)
    try {
      return Buffer.concat([cipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), cipher.final()]).toString()
    } catch {
      return undefined
    }
  }
}
