import type { Speech } from './engine.ts'

/**
 * Wraps `pieces` as speech that has started: rejects when the first piece fails, and calls `rate` after that piece. A
 * consumer that stops early ends `pieces`.
 */
export async function primedSpeech(pieces: AsyncGenerator<Int16Array>, rate: () => number): Promise<Speech> {
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

/**
 * Splits `text` into pieces of at most `most` letters: after a sentence, else after a comma, else at a blank, else
 * anywhere.
 */
export function textPieces(text: string, most: number): string[] {
  const pieces: string[] = []
  let rest = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  while (rest.length > most) {
    const head = rest.slice(0, most + 1)
    const at =
      lastMatch(head, /[.?!…]["'”’»)]*(?=\s)/g) ??
      lastMatch(head, /[,;:](?=\s)/g) ??
      lastMatch(head, /(?=\s)/g) ??
      most
    pieces.push(rest.slice(0, at).trim())
    rest = rest.slice(at).trim()
  }
  return rest === '' ? pieces : [...pieces, rest]
}

/** Returns the end of the last match; undefined without a match, or with one only at the start. */
function lastMatch(text: string, pattern: RegExp): number | undefined {
  let end: number | undefined
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length
  return end === undefined || end === 0 || end >= text.length ? undefined : end
}
