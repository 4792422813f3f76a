/** Samples up to this level are silence (−50 dBFS). */
const SILENT = 100
/** Silence after a clause: it pushes the end of its voice through encoders and decoders (ms). */
const TAIL_MS = 100

/**
 * Voices end every text as a sentence, with a third of a second of silence. Yields the voice of a clause whose sentence goes on
 * with a short silence instead; `rate` in Hz.
 */
export async function* unended(
  pieces: AsyncIterable<Int16Array>,
  rate: number,
): AsyncGenerator<Int16Array, void, undefined> {
  let silence: Int16Array[] = []
  for await (const pcm of pieces) {
    const end = 1 + pcm.findLastIndex(sample => Math.abs(sample) > SILENT)
    if (end > 0) {
      yield* silence
      yield pcm.subarray(0, end)
      silence = []
    }
    if (end < pcm.length) silence.push(pcm.subarray(end))
  }
  yield new Int16Array((rate * TAIL_MS) / 1_000)
}
