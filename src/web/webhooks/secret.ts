/** A secret in the form of Standard Webhooks is Base64 after this prefix. */
const ENCODED = 'whsec_'
const LEAST = 16

export const SECRET_ALLOWED = `a text of at least ${LEAST} characters, or ${ENCODED} with at least ${LEAST} bytes in base64`

/**
 * Returns the key of a webhook secret: the bytes after `whsec_`, decoded from Base64, or the bytes of any other text;
 * undefined if it is too short or not Base64. Padding can be missing.
 */
export function keyOfSecret(secret: string): Buffer | undefined {
  if (!secret.startsWith(ENCODED)) return secret.length < LEAST ? undefined : Buffer.from(secret)
  const text = secret.slice(ENCODED.length).replace(/={1,2}$/, '')
  const key = Buffer.from(text, 'base64')
  // Decoding skips what is not Base64.
  const isWhole = key.toString('base64').replace(/={1,2}$/, '') === text
  return isWhole && key.length >= LEAST ? key : undefined
}
