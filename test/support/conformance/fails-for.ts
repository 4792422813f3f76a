import { expect, test } from 'vitest'
import { broken, type Checks } from './suite.ts'

/** A correct implementation passes all checks; each faulty one fails its own check. */
export function failsFor<T>(
  checks: Checks<T>,
  right: () => T,
  wrong: readonly (readonly [fault: string, make: () => T, promise: string])[],
): void {
  test('passes a correct implementation', async () => {
    expect(await broken(checks, right)).toEqual([])
  })
  test.each(wrong)('fails an implementation that %s', async (_fault, make, promise) => {
    expect(Object.keys(checks)).toContain(promise)
    expect(await broken(checks, make)).toContain(promise)
  })
  test('each of its checks can fail', () => {
    expect(new Set(wrong.map(([, , promise]) => promise))).toEqual(new Set(Object.keys(checks)))
  })
}
