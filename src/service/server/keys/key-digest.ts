import { createHash, randomBytes } from 'node:crypto'

/** Marks a text as a key of this service, for people and for secret scanners. */
const PREFIX = 'dgm_'
const KEY_BYTES = 24

/** Creates a key: 192 random bits as 32 characters, after a prefix. */
export function newKey(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64url')
}

/**
 * Returns the digest stored for a key: one round of SHA-256, without salt. A key of 192 random bits is in no dictionary
 * and cannot be brute-forced, so a slow hash would add cost to every request without adding protection. A salt hides
 * equal secrets, and no two keys are equal.
 */
export function keyDigest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
