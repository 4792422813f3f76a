import fc from 'fast-check'
import { expect, it } from 'vitest'
import { closestMatch, distance } from '../../src/common/suggest.ts'

it.each([
  ['prot', 'port'],
  ['public_url', 'publicUrl'],
  ['authtokens', 'authTokens'],
  ['autToken', 'authToken'],
  ['completely', undefined],
  ['', undefined],
])('%s was meant to be %s', (wrong, meant) => {
  expect(closestMatch(wrong, ['port', 'publicUrl', 'authToken', 'authTokens'])).toBe(meant)
})

it('the distance is a metric', () => {
  const word = fc.stringMatching(/^[ab]{0,6}$/)
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(distance(a, a)).toBe(0)
      expect(distance(a, b)).toBe(distance(b, a))
      expect(distance(a, b)).toBeGreaterThanOrEqual(Math.abs(a.length - b.length))
      expect(distance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length))
    }),
  )
})
