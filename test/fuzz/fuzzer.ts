import { Coverage } from './coverage.ts'
import { mutated } from './mutate.ts'
import { SeededRandom } from './random.ts'
import type { FuzzTarget } from './target.ts'

/** Maximum time of one run (ms), the best of several, because other work disturbs. */
const SLOW_MS = 50
/** Inputs between two readings of the coverage, which takes as long as hundreds of them. */
const BATCH = 400
const CORPUS_MOST = 2_000

export interface FuzzOptions {
  readonly seed: number
  readonly runs: number
  /** Stops earlier after this time (ms). */
  readonly ms?: number
  /** Keeps inputs that reach new blocks and mutates them further; takes more time for each. */
  readonly guided?: boolean
}

export interface Fuzzed {
  readonly runs: number
  /** Initial and kept inputs. */
  readonly corpus: readonly Buffer[]
  /** Blocks of the program reached, if guided. */
  readonly blocks: number
}

/** Mutates the target's inputs at random and runs them. Throws at the first crash, with the input in base64. */
export function fuzz(target: FuzzTarget, { seed, runs, ms = Infinity, guided = false }: FuzzOptions): Fuzzed {
  const random = new SeededRandom(seed)
  const words = (target.words ?? []).map(word => Buffer.from(word, 'latin1'))
  const corpus = [...target.seeds, Buffer.alloc(0)]
  for (const input of corpus) once(target, input, seed)
  using coverage = guided ? new Coverage() : undefined
  if (coverage) for (const input of corpus) once(target, input, seed)
  coverage?.fresh()
  const until = performance.now() + ms
  let done = corpus.length
  while (done < runs && performance.now() < until) {
    const batch = Array.from({ length: Math.min(BATCH, runs - done) }, () =>
      mutated(random.pick(corpus), random.pick(corpus), words, random),
    )
    for (const input of batch) once(target, input, seed)
    done += batch.length
    if (coverage && coverage.fresh() > 0) keepFrom(batch, corpus, target, seed)
  }
  return { runs: done, corpus, blocks: coverage?.blocks ?? 0 }
}

/** Keeps the inputs of a batch with new blocks that individually reached the most. */
function keepFrom(batch: readonly Buffer[], corpus: Buffer[], target: FuzzTarget, seed: number): void {
  using coverage = new Coverage()
  for (const input of corpus.slice(-200)) once(target, input, seed)
  coverage.fresh()
  for (let at = 0; at < batch.length; at += 20) {
    const part = batch.slice(at, at + 20)
    for (const input of part) once(target, input, seed)
    if (coverage.fresh() > 0 && corpus.length < CORPUS_MOST) corpus.push(...part)
  }
}

function once(target: FuzzTarget, input: Buffer, seed: number): void {
  let bestMs = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 5 && bestMs > SLOW_MS; tries++) {
    const began = performance.now()
    try {
      // A copy: a parser that writes into its input, or keeps it, does not affect other cases.
      target.run(Buffer.from(input))
    } catch (cause) {
      throw new Error(`${target.name} (seed ${seed}) with ${input.toString('base64')}: ${cause}`, { cause })
    }
    bestMs = Math.min(bestMs, performance.now() - began)
  }
  if (bestMs > SLOW_MS)
    throw new Error(
      `${target.name} (seed ${seed}) takes ${bestMs.toFixed()} ms for ${input.toString('base64')}`,
    )
}
