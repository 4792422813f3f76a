import { randomFrom } from '../../simulator/random.ts'

/** Numbers in [0, 2³²) from a seed: the same on every machine. */
export class SeededRandom {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = randomFrom(seed)
  }

  next(): number {
    return this.#random() * 4_294_967_296
  }

  /** From 0 to `most` - 1. */
  below(most: number): number {
    return this.next() % most
  }

  pick<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!
  }
}
