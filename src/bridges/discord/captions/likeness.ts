import { bare } from '../../../core/room/echo-text-guard.ts'

/** Minimum number of letter pairs for a comparison. */
const PAIRS_LEAST = 6

/** Counts each pair of adjacent letters in `text`. */
function pairsOf(text: string): Map<string, number> {
  const letters = Array.from(text.replaceAll(' ', ''))
  const pairs = new Map<string, number>()
  for (let n = 1; n < letters.length; n++) {
    const pair = letters[n - 1]! + letters[n]!
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}

function shared(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const [pair, count] of a) sum += Math.min(count, b.get(pair) ?? 0)
  return sum
}

function count(pairs: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const each of pairs.values()) sum += each
  return sum
}

/**
 * Returns whether the two texts are probably the same speech: one starts with the other, or most of the shorter one
 * occurs in the longer.
 */
export function sameSpeech(a: string, b: string): boolean {
  const [one, two] = [bare(a), bare(b)]
  if (one.startsWith(two) || two.startsWith(one)) return one !== '' && two !== ''
  const [pairs, others] = [pairsOf(one), pairsOf(two)]
  const least = Math.min(count(pairs), count(others))
  return least >= PAIRS_LEAST && shared(pairs, others) / least >= 0.6
}
