/** Again with one that failed: `DRAGOMAN_FUZZ_SEED=… npx vitest run <the test>`. */
const GIVEN = process.env.DRAGOMAN_FUZZ_SEED

/** Seeds for a trial: a new one, and `kept` ones that once found something. A test says in its name which it has. */
export function fuzzSeeds(...kept: readonly number[]): number[] {
  return GIVEN === undefined ? [...kept, Math.floor(Math.random() * 2 ** 31)] : [Number(GIVEN)]
}
