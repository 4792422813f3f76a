/** Again with one that failed: `DRAGOMAN_FUZZ_SEED=… npx vitest run <the test>`. */
const GIVEN = process.env.DRAGOMAN_FUZZ_SEED

/** The long run looks for what nobody has seen yet (vitest.long.config.ts); every other run is the same each time. */
const EXPLORES = process.env.DRAGOMAN_EXPLORE === '1'

/** A seed that nobody has tried yet. */
const fresh = () => Math.floor(Math.random() * 2 ** 31)

/** The seed of every property that has none of its own; fast-check tells it, and the path, when one fails. */
export const PROPERTY_SEED = GIVEN === undefined ? (EXPLORES ? fresh() : 1) : Number(GIVEN)

/**
 * Seeds for a trial: a first one and those that once found something; a new one as well where the run explores. A test
 * says in its name which it has, so that it can be run again.
 */
export function fuzzSeeds(...kept: readonly [number, ...number[]]): number[] {
  if (GIVEN !== undefined) return [Number(GIVEN)]
  return EXPLORES ? [...kept, fresh()] : [...kept]
}

/** `count` seeds for a long run that looks for more; the one given instead, where one is. */
export function newSeeds(count: number): number[] {
  return GIVEN === undefined ? Array.from({ length: count }, fresh) : [Number(GIVEN)]
}
