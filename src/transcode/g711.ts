/**
 * G.711 µ-law (ITU-T G.711, table 2a/2b): the 8 kHz byte of the phone line. Both directions are table look-ups; the
 * tables are built with `alawmulaw` once, when this module loads.
 */

import alawmulaw from 'alawmulaw'

/** The byte of digital silence: positive zero, all bits set (ITU-T G.711). */
export const MULAW_SILENCE = 0xff

const DECODED = new Int16Array(256)
for (let code = 0; code < DECODED.length; code++) DECODED[code] = alawmulaw.mulaw.decodeSample(code)

// Indexed by the 16 bits of the sample, so that a negative sample needs only `& 0xffff`.
const ENCODED = new Uint8Array(65_536)
for (let sample = -32_768; sample <= 32_767; sample++)
  ENCODED[sample & 0xffff] = alawmulaw.mulaw.encodeSample(sample)

/**
 * Decodes µ-law `bytes` into linear samples, one per byte, at the start of `out`. Throws RangeError if `out` is shorter
 * than `bytes`. Neither is kept.
 */
export function decodeMulaw(bytes: Uint8Array, out: Int16Array): void {
  const length = bytes.length
  if (out.length < length)
    throw new RangeError(`${length} µ-law bytes need ${length} samples of room, got ${out.length}`)
  for (let i = 0; i < length; i++) out[i] = DECODED[bytes[i]!]!
}

/**
 * Encodes linear samples as µ-law, one byte each, at the start of `out`. Throws RangeError if `out` is shorter than
 * `pcm`. Neither is kept.
 */
export function encodeMulaw(pcm: Int16Array, out: Uint8Array): void {
  const length = pcm.length
  if (out.length < length)
    throw new RangeError(`${length} samples need ${length} bytes of room, got ${out.length}`)
  for (let i = 0; i < length; i++) out[i] = ENCODED[pcm[i]! & 0xffff]!
}
