/**
 * Format of audio on the socket, in both directions: a header of 8 bytes, then 20 ms frames of 16 kHz mono linear16,
 * all little-endian. Bytes 0–3: sequence number of the audio message. Bytes 4–7: timestamp of its first sample on the
 * sender’s clock, in samples; it jumps where audio is missing. Both start at any value and wrap at 2^32. Shared by
 * the server and the page.
 */

export const HEADER_BYTES = 8
/** Samples in a 20 ms frame. */
export const PACKET_FRAME = 320
/** Maximum number of frames in a message. */
export const MOST_FRAMES = 10
export const MOST_PACKET_BYTES = HEADER_BYTES + MOST_FRAMES * PACKET_FRAME * 2

/** Returns true if a message of this size holds whole frames, and at most `MOST_FRAMES`. */
export function isPacketLength(bytes: number): boolean {
  const frames = (bytes - HEADER_BYTES) / (PACKET_FRAME * 2)
  return Number.isInteger(frames) && frames >= 1 && frames <= MOST_FRAMES
}

/** Returns how far `later` is ahead of `earlier`, both modulo 2^32; negative if it precedes it. */
export function ahead(later: number, earlier: number): number {
  return (later - earlier) | 0
}

/** Writes the header of a message. */
export function writeHeader(view: DataView, sequence: number, timestamp: number): void {
  view.setUint32(0, sequence >>> 0, true)
  view.setUint32(4, timestamp >>> 0, true)
}
