import { expect, test } from 'vitest'
import { allRegexes, measure } from './regexes.ts'

test('G28: no regular expression of the program takes long for 64 KB made to hurt it', {
  timeout: 120_000,
}, () => {
  const all = allRegexes()
  expect(all.length).toBeGreaterThan(150)
  const slow = all.map(({ where, regex }) => measure(where, regex)).filter(({ worstMs }) => worstMs > 50)
  expect(slow).toEqual([])
})

test('the measure finds those that do', () => {
  for (const bad of [/\s+$/, /<note>[\s\S]*<\/note>/, /^(.*?)([.?!]*)$/s])
    expect(measure('', bad).worstMs, bad.source).toBeGreaterThan(50)
})
