/** Reproduces a failure: `DRAGOMAN_FUZZ_SEED=… npx vitest run <the test>`. */
const GIVEN = process.env.DRAGOMAN_FUZZ_SEED

/** A run that explores tries new seeds and more trials; every other run is the same each time. */
const EXPLORES = process.env.DRAGOMAN_EXPLORE === '1'

/** A new seed. */
const fresh = () => Math.floor(Math.random() * 2 ** 31)

/** The seed of every property without its own; fast-check reports it, and the path, on a failure. */
export const PROPERTY_SEED = GIVEN === undefined ? (EXPLORES ? fresh() : 1) : Number(GIVEN)

/**
 * Seeds for a trial: a first one and those that once found something; a new one as well if the run explores. The test's
 * name contains the seed, so that it can be run again.
 */
export function fuzzSeeds(...kept: readonly [number, ...number[]]): number[] {
  if (GIVEN !== undefined) return [Number(GIVEN)]
  return EXPLORES ? [...kept, fresh()] : [...kept]
}

/** `count` seeds for a long run that explores; or the one given. */
export function newSeeds(count: number): number[] {
  return GIVEN === undefined ? Array.from({ length: count }, fresh) : [Number(GIVEN)]
}

/** Number of trials, hours or the like: `usual` ones, or in a long run that explores `long` ones. */
export function extent(usual: number, long: number): number {
  return EXPLORES ? long : usual
}
