/** Returns the entry of `known` that `wrong` was most likely meant to be, or undefined if none is close. */
export function closestMatch(wrong: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[-_.]/g, '')
  const target = plain(wrong)
  let best: string | undefined
  let least = Math.max(1, Math.floor(target.length / 3)) + 1
  for (const candidate of known) {
    const other = plain(candidate)
    // The length difference is a lower bound of the distance, so long garbage is skipped cheaply.
    if (Math.abs(target.length - other.length) >= least) continue
    const steps = distance(target, other)
    if (steps < least) [best, least] = [candidate, steps]
  }
  return best
}

/** Damerau–Levenshtein distance: insertions, deletions, replacements and swaps of neighbors that turn `a` into `b`. */
export function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let steps = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        steps = Math.min(steps, before[j - 2]! + 1)
      next.push(steps)
    }
    before = row
    row = next
  }
  return row[b.length]!
}
