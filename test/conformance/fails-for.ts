import { expect, test } from 'vitest'
import { broken, type Checks } from './suite.ts'

/** A right implementation breaks no promise; each wrong one breaks the promise it is wrong in. */
export function failsFor<T>(
  checks: Checks<T>,
  right: () => T,
  wrong: readonly (readonly [fault: string, make: () => T, promise: string])[],
): void {
  test('passes a right implementation', async () => {
    expect(await broken(checks, right)).toEqual([])
  })
  test.each(wrong)('fails one that %s', async (_fault, make, promise) => {
    expect(Object.keys(checks)).toContain(promise)
    expect(await broken(checks, make)).toContain(promise)
  })
  test('each of its promises can be broken', () => {
    expect(new Set(wrong.map(([, , promise]) => promise))).toEqual(new Set(Object.keys(checks)))
  })
}
