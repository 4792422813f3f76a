import type { Speech } from './synthesizer.ts'

/**
 * Wraps `pieces` as speech that has started: rejects when the first piece fails, and calls `rate` after that piece. A
 * consumer that stops early ends `pieces`.
 */
export async function begunSpeech(pieces: AsyncGenerator<Int16Array>, rate: () => number): Promise<Speech> {
  const first = await pieces.next()
  return { rate: rate(), pieces: fromFirst(first, pieces) }
}

async function* fromFirst(
  first: IteratorResult<Int16Array, unknown>,
  rest: AsyncGenerator<Int16Array>,
): AsyncGenerator<Int16Array> {
  try {
    if (!first.done) yield first.value
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}
