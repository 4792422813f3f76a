import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Returns the digest stored for a key: one round of SHA-256, without salt. A key of 192 random bits is in no dictionary
 * and cannot be brute-forced, so a slow hash would add cost to every request without adding protection. A salt hides
 * equal secrets, and no two keys are equal.
 */
export function keyDigest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Returns true if both are the same text. Takes the same time for every wrong text, of any length. */
export function sameSecret(given: string, right: string): boolean {
  return timingSafeEqual(keyDigest(given), keyDigest(right))
}

/** Returns the name under which `text`, for example a phone number, is stored: the start of its HMAC with `key`, 162 bits as base64url. */
export function shortDigest(key: string | Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, 27)
}
