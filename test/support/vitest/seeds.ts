/** Repeats a failure: `DRAGOMAN_FUZZ_SEED=… npx vitest run <the test>`. */
const GIVEN = process.env.DRAGOMAN_FUZZ_SEED

/** The seed of every property without its own; fast-check reports it, and the path, on a failure. */
export const PROPERTY_SEED = Number(GIVEN ?? 1)

/** Seeds for a trial: a first one, and those that once found something. The test's name contains the seed. */
export function fuzzSeeds(...kept: readonly [number, ...number[]]): readonly number[] {
  return GIVEN === undefined ? kept : [Number(GIVEN)]
}
