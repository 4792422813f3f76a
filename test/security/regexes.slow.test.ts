import { expect, test } from 'vitest'
import { allRegexes, measure } from '../support/security/regexes.ts'
import { figure } from '../support/sources/figures.ts'

test('regular expressions on 64 KB of adversarial input', context => {
  const measured = allRegexes().map(({ where, regex }) => measure(where, regex, 20, 0))
  const worst = measured.reduce((a, b) => (b.worstMs > a.worstMs ? b : a))
  figure(
    context,
    `slowest of ${measured.length} regular expressions on 64 KB of hostile input`,
    '≤ 5 ms',
    `${worst.worstMs.toFixed(1)} ms`,
  )
  expect(measured.filter(({ worstMs }) => worstMs > 5)).toEqual([])
})
