/**
 * G.711 (ITU-T G.711): the 8 kHz byte of the phone line, as µ-law (tables 2a/2b) or A-law (tables 1a/1b). Both directions
 * are table look-ups; the tables are built with `alawmulaw` once, when this module loads.
 */

import alawmulaw from 'alawmulaw'

/** The byte of digital silence: positive zero, all bits set (ITU-T G.711). */
export const MULAW_SILENCE = 0xff

interface Law {
  readonly decoded: Int16Array
  /** Indexed by the 16 bits of the sample, so that a negative sample needs only `& 0xffff`. */
  readonly encoded: Uint8Array
}

function lawOf(law: { decodeSample(byte: number): number; encodeSample(sample: number): number }): Law {
  const decoded = new Int16Array(256)
  for (let code = 0; code < decoded.length; code++) decoded[code] = law.decodeSample(code)
  const encoded = new Uint8Array(65_536)
  for (let sample = -32_768; sample <= 32_767; sample++) encoded[sample & 0xffff] = law.encodeSample(sample)
  return { decoded, encoded }
}

const MULAW = lawOf(alawmulaw.mulaw)
const ALAW = lawOf(alawmulaw.alaw)

/**
 * Decodes µ-law `bytes` into linear samples, one per byte, at the start of `out`. Throws RangeError if `out` is shorter
 * than `bytes`. Neither is kept.
 */
export function decodeMulaw(bytes: Uint8Array, out: Int16Array): void {
  decode(bytes, out, MULAW.decoded)
}

/**
 * Encodes linear samples as µ-law, one byte each, at the start of `out`. Throws RangeError if `out` is shorter than
 * `pcm`. Neither is kept.
 */
export function encodeMulaw(pcm: Int16Array, out: Uint8Array): void {
  encode(pcm, out, MULAW.encoded)
}

/** Decodes A-law, as `decodeMulaw` does µ-law. */
export function decodeAlaw(bytes: Uint8Array, out: Int16Array): void {
  decode(bytes, out, ALAW.decoded)
}

/** Encodes as A-law, as `encodeMulaw` does as µ-law. */
export function encodeAlaw(pcm: Int16Array, out: Uint8Array): void {
  encode(pcm, out, ALAW.encoded)
}

function decode(bytes: Uint8Array, out: Int16Array, table: Int16Array): void {
  const length = bytes.length
  if (out.length < length)
    throw new RangeError(`${length} G.711 bytes need ${length} samples of room, got ${out.length}`)
  for (let i = 0; i < length; i++) out[i] = table[bytes[i]!]!
}

function encode(pcm: Int16Array, out: Uint8Array, table: Uint8Array): void {
  const length = pcm.length
  if (out.length < length)
    throw new RangeError(`${length} samples need ${length} bytes of room, got ${out.length}`)
  for (let i = 0; i < length; i++) out[i] = table[pcm[i]! & 0xffff]!
}
