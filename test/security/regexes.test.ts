import { expect, test } from 'vitest'
import { allRegexes, measure } from '../support/security/regexes.ts'

test('no regular expression of the program is slow on 64 KB of adversarial input', {
  timeout: 120_000,
}, () => {
  const all = allRegexes()
  expect(all.length).toBeGreaterThan(150)
  const slow = all.map(({ where, regex }) => measure(where, regex)).filter(({ worstMs }) => worstMs > 50)
  expect(slow).toEqual([])
})
