import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../transcode/g711.ts'
import type { LineCodec } from '../carrier.ts'

/** Converts between the bytes of a stream and samples. `out` must have room for the result; nothing is kept. */
export interface SampleCodec {
  readonly bytesPerSample: 1 | 2
  /** Decodes whole samples; an odd last byte is dropped. */
  decode(bytes: Uint8Array, out: Int16Array): void
  encode(pcm: Int16Array, out: Uint8Array): void
}

const CODECS: Readonly<Record<LineCodec, SampleCodec>> = {
  mulaw: { bytesPerSample: 1, decode: decodeMulaw, encode: encodeMulaw },
  alaw: { bytesPerSample: 1, decode: decodeAlaw, encode: encodeAlaw },
  l16: linear(0, 1),
  l16be: linear(1, 0),
}

/** Returns the converter of `codec`, which all streams share. */
export function sampleCodec(codec: LineCodec): SampleCodec {
  return CODECS[codec]
}

/** 16-bit linear PCM with its low and its high byte at these positions. Byte by byte: payloads are not aligned. */
function linear(low: 0 | 1, high: 0 | 1): SampleCodec {
  return {
    bytesPerSample: 2,
    decode(bytes, out) {
      const samples = bytes.length >> 1
      for (let i = 0; i < samples; i++) out[i] = bytes[2 * i + low]! | (bytes[2 * i + high]! << 8)
    },
    encode(pcm, out) {
      for (let i = 0; i < pcm.length; i++) {
        const sample = pcm[i]!
        out[2 * i + low] = sample
        out[2 * i + high] = sample >> 8
      }
    },
  }
}
