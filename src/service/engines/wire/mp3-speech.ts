import { mp3Ready } from '../../../transcode/mp3/mp3-decoder.ts'
import { SLICE_BYTES, SpeechDecoder } from '../../../transcode/speech-decoder.ts'
import { HttpFault } from './http-client.ts'

/** Yields the samples of an mp3 (16 kHz, mono) as its bytes arrive. Throws an `HttpFault` if it has no audio. */
export async function* decodedMp3(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Int16Array> {
  const made: Int16Array[] = []
  const decoder = new SpeechDecoder(pcm => made.push(pcm.slice()))
  try {
    for await (const piece of bytes)
      for (let at = 0; at < piece.length; at += SLICE_BYTES) {
        while (!decoder.write(piece.subarray(at, at + SLICE_BYTES), false)) await mp3Ready()
        yield* made.splice(0)
      }
    while (!decoder.finish()) await mp3Ready()
    yield* made
    if (decoder.samples === 0) throw new HttpFault('returned an mp3 without audio')
  } finally {
    decoder.close()
  }
}
