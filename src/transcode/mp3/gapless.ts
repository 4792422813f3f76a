import type { Mp3Header } from './header.ts'

/** Information about the file in its first frame, which has no audio. */
export interface Mp3Tag {
  /** Number of audio frames that follow; undefined if unknown to the encoder. */
  readonly frames: number | undefined
  /** Samples that the encoder added before the audio (without the decoder's own delay); undefined if not given. */
  readonly delay: number | undefined
  /** Samples that the encoder added after the audio to fill the last frame; undefined if not given. */
  readonly padding: number | undefined
}

// "Xing" (VBR) and "Info" (CBR) are at the start of the audio data, "VBRI" is always 32 bytes after the header.
const XING = [0x58, 0x69, 0x6e, 0x67]
const INFO = [0x49, 0x6e, 0x66, 0x6f]
const VBRI = [0x56, 0x42, 0x52, 0x49]
const VBRI_AT = 36
/** LAME's tag ignores the space for the checksum, also in files whose frames have one. */
const CHECKSUM_BYTES = 2
const VBRI_FRAMES_AT = 14

const HAS_FRAMES = 1
const HAS_BYTES = 2
const HAS_INDEX = 4
const HAS_QUALITY = 8
const INDEX_BYTES = 100
/**
 * Offset from the encoder's name to the three bytes with delay and padding, twelve bits each ("LAME tag", revision 1).
 */
const DELAYS_AT = 21

/**
 * Returns the tag in the frame at `at` of `bytes` (the whole frame must be available), or undefined if the frame is
 * audio. Sources: Xing's "VBR header" SDK, Fraunhofer's VBRI, "LAME tag" revision 1.
 */
export function mp3TagAt(bytes: Uint8Array, at: number, header: Mp3Header): Mp3Tag | undefined {
  const end = at + header.bytes
  for (const start of [at + header.dataAt, at + header.dataAt - CHECKSUM_BYTES])
    if (matches(bytes, start, end, XING) || matches(bytes, start, end, INFO)) return xing(bytes, start, end)
  if (matches(bytes, at + VBRI_AT, end, VBRI))
    return { frames: count(bytes, at + VBRI_AT + VBRI_FRAMES_AT, end), delay: undefined, padding: undefined }
  return undefined
}

function xing(bytes: Uint8Array, start: number, end: number): Mp3Tag {
  const flags = start + 8 <= end ? bytes[start + 7]! : 0
  let at = start + 8
  const frames = flags & HAS_FRAMES ? count(bytes, at, end) : undefined
  if (flags & HAS_FRAMES) at += 4
  if (flags & HAS_BYTES) at += 4
  if (flags & HAS_INDEX) at += INDEX_BYTES
  if (flags & HAS_QUALITY) at += 4
  const packed = at + DELAYS_AT
  // Encoders that do not write this extension leave the name empty.
  if (packed + 3 > end || bytes[at] === 0) return { frames, delay: undefined, padding: undefined }
  const delay = (bytes[packed]! << 4) | (bytes[packed + 1]! >> 4)
  const padding = ((bytes[packed + 1]! & 0x0f) << 8) | bytes[packed + 2]!
  return { frames, delay, padding }
}

/** Reads a big-endian count; 0 means that the encoder never filled it in. */
function count(bytes: Uint8Array, at: number, end: number): number | undefined {
  if (at + 4 > end) return undefined
  const value = bytes[at]! * 0x100_0000 + ((bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!)
  return value === 0 ? undefined : value
}

function matches(bytes: Uint8Array, at: number, end: number, letters: readonly number[]): boolean {
  if (at + letters.length > end) return false
  for (let i = 0; i < letters.length; i++) if (bytes[at + i] !== letters[i]) return false
  return true
}

/** Delay of every layer III decoder in samples: 528 of the filter bank and one more (LAME's technical FAQ). */
export const DECODER_DELAY = 529

/**
 * Default number of silent samples before the audio of a file: LAME's 576 and the decoder's 529. It is also right for
 * all encoders based on LAME, which are nearly all.
 */
export const USUAL_DELAY = 576 + DECODER_DELAY

/**
 * Trims the samples that encoder and decoder add to the audio of a file: the delay at its start and, if the file
 * declares its length, the padding of its last frame. Positions are in samples at the file's own rate.
 */
export class Mp3Trim {
  /** Samples to drop at the start. */
  #lead = USUAL_DELAY
  /** Samples until the end of the audio, including those to drop at the start; Infinity if unknown. */
  #left = Infinity
  /** Samples to drop after that. */
  #filling = 0

  /** Starts a file with its `tag`, if any, and `samples` per frame. */
  start(tag: Mp3Tag | undefined, samples: number): void {
    this.#lead = tag?.delay === undefined ? USUAL_DELAY : tag.delay + DECODER_DELAY
    this.#left = Infinity
    this.#filling = 0
    if (tag?.frames === undefined || tag.padding === undefined) return
    // The decoder still holds its delay when the last frame is out, so it is subtracted from the padding.
    this.#filling = Math.min(Math.max(0, tag.padding - DECODER_DELAY), tag.frames * samples)
    this.#left = tag.frames * samples - this.#filling
  }

  /** Returns the audio part of the next decoded samples: `pcm` itself or a view into it. */
  cut(pcm: Int16Array): Int16Array {
    // The file continues beyond its declared length, so its end is unknown.
    if (this.#left === 0 && this.#filling === 0) this.#left = Infinity
    const from = Math.min(this.#lead, pcm.length)
    const sound = Math.min(this.#left, pcm.length)
    this.#lead -= from
    this.#left -= sound
    this.#filling -= Math.min(this.#filling, pcm.length - sound)
    const to = Math.max(from, sound)
    return from === 0 && to === pcm.length ? pcm : pcm.subarray(from, to)
  }
}
