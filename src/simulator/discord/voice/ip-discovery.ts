/** Size of both messages of IP discovery (Discord, "Voice connections", UDP). */
const MESSAGE_BYTES = 74
const REQUEST = 1
const RESPONSE = 2
/** Size after the first four bytes. */
const BODY_BYTES = 70

/** The SSRC of a discovery request; undefined if `datagram` is not one. */
export function discoveryRequest(datagram: Buffer): number | undefined {
  if (datagram.length !== MESSAGE_BYTES) return undefined
  if (datagram.readUInt16BE(0) !== REQUEST || datagram.readUInt16BE(2) !== BODY_BYTES) return undefined
  return datagram.readUInt32BE(4)
}

/** The response: the address (text, followed by NUL) and port of the request's sender. */
export function discoveryResponse(ssrc: number, address: string, port: number): Buffer {
  const message = Buffer.alloc(MESSAGE_BYTES)
  message.writeUInt16BE(RESPONSE, 0)
  message.writeUInt16BE(BODY_BYTES, 2)
  message.writeUInt32BE(ssrc, 4)
  message.write(address, 8, 'latin1')
  message.writeUInt16BE(port, MESSAGE_BYTES - 2)
  return message
}
