/** Both messages of IP discovery have this many bytes (Discord, "Voice connections", UDP). */
const MESSAGE_BYTES = 74
const REQUEST = 1
const RESPONSE = 2
/** What follows the first four bytes. */
const BODY_BYTES = 70

/** The SSRC that asks how it is seen; undefined when `datagram` is no such request. */
export function discoveryRequest(datagram: Buffer): number | undefined {
  if (datagram.length !== MESSAGE_BYTES) return undefined
  if (datagram.readUInt16BE(0) !== REQUEST || datagram.readUInt16BE(2) !== BODY_BYTES) return undefined
  return datagram.readUInt32BE(4)
}

/** The answer: the address (text, NUL behind it) and port that the request came from. */
export function discoveryResponse(ssrc: number, address: string, port: number): Buffer {
  const message = Buffer.alloc(MESSAGE_BYTES)
  message.writeUInt16BE(RESPONSE, 0)
  message.writeUInt16BE(BODY_BYTES, 2)
  message.writeUInt32BE(ssrc, 4)
  message.write(address, 8, 'latin1')
  message.writeUInt16BE(port, MESSAGE_BYTES - 2)
  return message
}
