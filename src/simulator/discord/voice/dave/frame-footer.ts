/** Footer of every DAVE frame (daveprotocol.com, "Payload format"): a tag, a nonce, the total size, a marker. */
const TAG_BYTES = 8
const MARKER = 0xfafa
/** The size's own byte, and the marker. */
const END_BYTES = 3
/** A nonce is a counter of 32 bits as LEB128: seven bits per byte, the highest bit means that more follow. */
const NONCE_BYTES_MOST = 5

/**
 * Whether `frame` is an audio frame under DAVE. Checks the whole footer, because some Opus frames end like the marker
 * by chance.
 */
export function hasDaveFooter(frame: Buffer): boolean {
  const size = frame.at(-END_BYTES) ?? 0
  const nonceBytes = size - TAG_BYTES - END_BYTES
  if (frame.length <= size || nonceBytes < 1 || nonceBytes > NONCE_BYTES_MOST) return false
  if (frame.readUInt16BE(frame.length - 2) !== MARKER) return false
  const nonce = frame.subarray(-END_BYTES - nonceBytes, -END_BYTES)
  return nonce.every((byte, at) => byte >= 0x80 === at < nonceBytes - 1)
}
