/** Set by `npm run test:long`. */
const LONG = process.env.TEST_LONG === '1'

/** How many cases are tried: few at each change, many in the long run. */
export function howMany(short: number, long: number): number {
  return LONG ? long : short
}
