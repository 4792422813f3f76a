import { bytesOf, samplesOf } from '../../../transcode/pcm.ts'

/** Encodes linear16 as base64, as services expect audio in JSON. */
export function base64Of(pcm: Int16Array): string {
  const bytes = bytesOf(pcm)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** Decodes base64 linear16; an odd last byte is ignored. */
export function pcmOf(base64: string): Int16Array {
  const bytes = Buffer.from(base64, 'base64')
  return samplesOf(bytes.subarray(0, bytes.length - (bytes.length % 2))).slice()
}
