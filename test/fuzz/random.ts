/** Numbers in [0, 2³²) from a seed (mulberry32): the same on every machine. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }

  /** From 0 to `most` - 1. */
  below(most: number): number {
    return this.next() % most
  }

  pick<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!
  }
}
