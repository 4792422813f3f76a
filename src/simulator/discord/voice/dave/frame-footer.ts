/** Behind every frame that DAVE encrypts (daveprotocol.com, "Payload format"): a tag, a nonce, the size of it all, a marker. */
const TAG_BYTES = 8
const MARKER = 0xfafa
/** The size's own byte, and the marker. */
const END_BYTES = 3
/** A nonce is a counter of 32 bits as LEB128: seven bits a byte, the highest bit says that there is more. */
const NONCE_BYTES_MOST = 5

/**
 * Whether `frame` is an audio frame under DAVE. All of the footer has to fit: one Opus frame in many ends like the marker
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
