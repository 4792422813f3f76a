/** Where a voice is like itself a little later, and how much (1: the same, 0: nothing in common). */
export interface Repetition {
  /** Samples from one place to the other. */
  after: number
  likeness: number
}

/** Energy of a window below which it counts as silence: an RMS of 2. */
const SILENT = 4

/**
 * Finds in `pcm` by how many samples, from `least` to `most`, the `window` samples at `from` are most like those after
 * them (normalised cross-correlation), and writes it into `found`. Between silences everything is alike, and `least` is
 * given. Needs `most + window` samples from `from` on.
 */
export function findRepetition(
  pcm: Int16Array,
  from: number,
  window: number,
  least: number,
  most: number,
  found: Repetition,
): void {
  const silent = SILENT * window
  let here = 0
  let there = 0
  for (let i = 0; i < window; i++) {
    here += pcm[from + i]! ** 2
    there += pcm[from + least + i]! ** 2
  }
  found.after = least
  found.likeness = here <= silent && there <= silent ? 1 : -1
  for (let after = least; after <= most; after++) {
    const at = from + after
    if (here > silent && there > silent) {
      let common = 0
      for (let i = 0; i < window; i++) common += pcm[from + i]! * pcm[at + i]!
      const likeness = common / Math.sqrt(here * there)
      if (likeness > found.likeness) {
        found.likeness = likeness
        found.after = after
      }
    } else if (here <= silent && there <= silent && found.likeness < 1) {
      found.likeness = 1
      found.after = after
    }
    there += pcm[at + window]! ** 2 - pcm[at]! ** 2
  }
}
