import { OPUS_PAYLOAD_TYPE } from './rtp.ts'

const BYTES = 60

/** A datagram that looks like a packet of `ssrc` and cannot be decrypted. */
export function forgedPacket(ssrc: number, random: () => number): Buffer {
  const packet = Buffer.from(Uint8Array.from({ length: BYTES }, () => Math.floor(random() * 256)))
  packet[0] = 0x80
  packet[1] = OPUS_PAYLOAD_TYPE
  packet.writeUInt32BE(ssrc, 8)
  return packet
}
