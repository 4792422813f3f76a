import { decodeIma, type ImaEncoder, imaBytes, imaSamples } from '../../../transcode/adpcm.ts'
import { HEADER_BYTES, PACKET_FRAME, writeHeader } from '../audio-packet.ts'

/**
 * Format of audio to an audience: the header of all audio messages, then one block of IMA ADPCM (16 kHz, mono), a quarter of
 * the bytes of linear16. A page can start with any message. Shared by the server and the page.
 */

/** Frames of a full message: 100 ms, ten messages a second. */
export const AUDIENCE_FRAMES = 5

/** Returns the message with whole frames; `sequence` and `timestamp` are those of `audio-packet.ts`. */
export function encodeAudience(
  encoder: ImaEncoder,
  frames: Int16Array,
  sequence: number,
  timestamp: number,
): Uint8Array<ArrayBuffer> {
  const packet = new Uint8Array(HEADER_BYTES + imaBytes(frames.length))
  const view = new DataView(packet.buffer)
  writeHeader(view, sequence, timestamp)
  encoder.encode(frames, view, HEADER_BYTES)
  return packet
}

/** Returns the message in linear16, as `audio-packet.ts` describes; undefined for one that holds no whole frames. */
export function decodeAudience(packet: ArrayBuffer): ArrayBuffer | undefined {
  const bytes = packet.byteLength - HEADER_BYTES
  const samples = imaSamples(bytes, 1) - 1
  if (samples <= 0 || samples % PACKET_FRAME !== 0) return undefined
  const pcm = new Int16Array(samples + 1)
  decodeIma(new DataView(packet), HEADER_BYTES, bytes, 1, pcm, 0)
  const plain = new Uint8Array(HEADER_BYTES + 2 * samples)
  plain.set(new Uint8Array(packet, 0, HEADER_BYTES))
  // The first sample is the last one of the message before.
  plain.set(new Uint8Array(pcm.buffer, 2), HEADER_BYTES)
  return plain.buffer
}
