import { mutated } from './mutate.ts'
import { SeededRandom } from './random.ts'
import type { FuzzTarget } from './target.ts'

/** Mutates the target's inputs at random and runs `runs` of them. Throws at the first crash, with the input in base64. */
export function fuzz(target: FuzzTarget, { seed, runs }: { seed: number; runs: number }): void {
  const random = new SeededRandom(seed)
  const words = (target.words ?? []).map(word => Buffer.from(word, 'latin1'))
  const corpus = [...target.seeds, Buffer.alloc(0)]
  for (const input of corpus) once(target, input, seed)
  for (let n = 0; n < runs; n++)
    once(target, mutated(random.pick(corpus), random.pick(corpus), words, random), seed)
}

function once(target: FuzzTarget, input: Buffer, seed: number): void {
  try {
    // A copy: a parser that writes into its input, or keeps it, does not affect other cases.
    target.run(Buffer.from(input))
  } catch (cause) {
    throw new Error(`${target.name} (seed ${seed}) with ${input.toString('base64')}: ${cause}`, { cause })
  }
}
