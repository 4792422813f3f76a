/** A repetition in a voice and its similarity (1: identical, 0: uncorrelated, −1: inverted). */
export interface Repetition {
  /** Distance in samples. */
  after: number
  likeness: number
}

/** Mean square of a window below which it counts as silence: an RMS of 2. */
const SILENT = 4
/** The whole range is searched with every third sample, then the best match is refined with all of them. */
const STRIDE = 3
const AROUND = 2

/**
 * Finds the lag, from `least` to `most` samples, at which the `window` samples at `from` best match those after them
 * (normalized cross-correlation), and writes it into `found`. Silence matches silence. Needs `most + window` samples
 * from `from` on.
 */
export function findRepetition(
  pcm: Int16Array,
  from: number,
  window: number,
  least: number,
  most: number,
  found: Repetition,
): void {
  const here = energy(pcm, from, window)
  found.after = least
  found.likeness = -1
  search(pcm, from, window, STRIDE, here, least, most, found)
  const best = found.after
  found.likeness = -1
  search(pcm, from, window, 1, here, Math.max(least, best - AROUND), Math.min(most, best + AROUND), found)
}

function search(
  pcm: Int16Array,
  from: number,
  window: number,
  stride: number,
  here: number,
  least: number,
  most: number,
  found: Repetition,
): void {
  const silent = SILENT * window
  let there = energy(pcm, from + least, window)
  for (let after = least; after <= most; after++) {
    const at = from + after
    let likeness = -1
    if (here > silent && there > silent) {
      let common = 0
      for (let i = 0; i < window; i += stride) common += pcm[from + i]! * pcm[at + i]!
      likeness = (common * stride) / Math.sqrt(here * there)
    } else if (here <= silent && there <= silent) likeness = 1
    if (likeness > found.likeness) {
      found.likeness = likeness
      found.after = after
    }
    there += pcm[at + window]! ** 2 - pcm[at]! ** 2
  }
}

function energy(pcm: Int16Array, from: number, window: number): number {
  let sum = 0
  for (let i = from; i < from + window; i++) sum += pcm[i]! ** 2
  return sum
}
