/** One WebSocket frame as it went over the wire (RFC 6455, 5.2). */
export interface WireFrame {
  readonly opcode: number
  /** The masking key; undefined for an unmasked frame. */
  readonly key: number | undefined
  readonly payload: Buffer
}

/** Reads complete frames from the bytes of a connection after its upgrade. */
export function framesOf(bytes: Buffer): WireFrame[] {
  const frames: WireFrame[] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const opcode = bytes[at]! & 0x0f
    const masked = (bytes[at + 1]! & 0x80) !== 0
    let size = bytes[at + 1]! & 0x7f
    at += 2
    if (size === 126) {
      size = bytes.readUInt16BE(at)
      at += 2
    } else if (size === 127) {
      size = Number(bytes.readBigUInt64BE(at))
      at += 8
    }
    const key = masked ? bytes.readUInt32BE(at) : undefined
    const mask = masked ? bytes.subarray(at, at + 4) : undefined
    at += masked ? 4 : 0
    const payload = Buffer.from(bytes.subarray(at, at + size))
    if (mask) for (let n = 0; n < payload.length; n++) payload[n]! ^= mask[n & 3]!
    frames.push({ opcode, key, payload })
    at += size
  }
  return frames
}
