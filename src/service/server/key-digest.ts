import { createHash, randomBytes } from 'node:crypto'

/** Marks a text as a key of this service, for people and for programs that look for secrets in the wrong places. */
const PREFIX = 'dgm_'
const KEY_BYTES = 24

/** A new key: 192 random bits as 32 characters, after a prefix. */
export function newKey(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64url')
}

/**
 * What is kept of a key. One round of SHA-256, without salt: a key of 192 random bits is in no dictionary and cannot be
 * found by trying, however fast, so a slow hash would protect nothing and cost every request dearly. A salt keeps equal
 * secrets from looking equal, and no two keys are equal.
 */
export function keyDigest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
