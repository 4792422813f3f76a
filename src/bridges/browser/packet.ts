/**
 * Audio on the socket, both ways: a header of 8 bytes, then frames of 20 ms, 16 kHz mono linear16, all little-endian.
 * Bytes 0 to 3: how many messages of audio came before this one. Bytes 4 to 7: where its first sample belongs on the
 * sender's clock, in samples; it jumps where nothing was sent. Both begin anywhere and go round at 2^32.
 * Used by the server and by the page.
 */

export const HEADER_BYTES = 8
/** Samples of a frame of 20 ms. */
export const PACKET_FRAME = 320
/** Frames in a message at most. */
export const MOST_FRAMES = 10
export const MOST_PACKET_BYTES = HEADER_BYTES + MOST_FRAMES * PACKET_FRAME * 2

/** Whether a message of so many bytes holds whole frames, and not too many. */
export function isPacketLength(bytes: number): boolean {
  const frames = (bytes - HEADER_BYTES) / (PACKET_FRAME * 2)
  return Number.isInteger(frames) && frames >= 1 && frames <= MOST_FRAMES
}

/** How far `later` is ahead of `earlier`, both modulo 2^32; negative: behind. */
export function ahead(later: number, earlier: number): number {
  return (later - earlier) | 0
}

/** Writes the header of a message to its begin. */
export function writeHeader(view: DataView, sequence: number, timestamp: number): void {
  view.setUint32(0, sequence >>> 0, true)
  view.setUint32(4, timestamp >>> 0, true)
}
