/** Clock rate of Opus and RTP in samples per second, independent of the audio (RFC 7587 §4.1). */
export const OPUS_CLOCK_RATE = 48_000
/** Maximum duration of an Opus packet (120 ms), in samples of its clock. */
const LONGEST = 5_760
/** Maximum size of an Opus frame (bytes; RFC 6716 §3.4, R2). */
const FRAME_BYTES_MOST = 1_275
/** Frames of 2.5 ms in a packet of 120 ms. */
const FRAMES_MOST = 48

/**
 * Returns the duration of a packet in samples of 48 kHz, or 0 if it is invalid, judging by its header and size (RFC
 * 6716 §3.1 and §3.4). Its content can still be invalid.
 */
export function opusSamples(packet: Uint8Array): number {
  if (packet.length === 0) return 0
  const frames = frameCount(packet)
  if (frames === 0 || packet.length > 3 + FRAME_BYTES_MOST * frames) return 0
  const samples = frames * frameSamples(packet[0]!)
  return samples > LONGEST ? 0 : samples
}

/**
 * Does the same for a packet of several streams (RFC 7845 §5.1.1): all last as long as the first, whose own size
 * precedes its frames, so that only its header can be checked.
 */
export function multistreamSamples(packet: Uint8Array): number {
  return opusSamples(packet.subarray(0, ((packet[0] ?? 0) & 3) < 2 ? 1 : 2))
}

function frameCount(packet: Uint8Array): number {
  switch (packet[0]! & 3) {
    case 0:
      return 1
    case 1:
      // Two frames of equal size (R3).
      return packet.length % 2 === 1 ? 2 : 0
    case 2:
      return packet.length > 1 ? 2 : 0
    default: {
      const count = packet.length > 1 ? packet[1]! & 63 : 0
      return count <= FRAMES_MOST ? count : 0
    }
  }
}

/** Returns the length of one frame, given by the packet's first byte (RFC 6716 §3.1, table 2). */
function frameSamples(toc: number): number {
  const config = toc >> 3
  // SILK: 10, 20, 40, 60 ms.
  if (config < 12) return SILK[config & 3]!
  // Hybrid: 10, 20 ms.
  if (config < 16) return (config & 1) === 0 ? 480 : 960
  // CELT: 2.5, 5, 10, 20 ms.
  return 120 << (config & 3)
}

const SILK = [480, 960, 1_920, 2_880]
