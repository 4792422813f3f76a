import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readResult } from '../../../src/service/client/result-reader.ts'

const timingOf = (timing: unknown) => readResult({ id: '1', text: 'x', timing }, '0').timing

test('a service can report the time of its stages', () => {
  const timing = { recognitionMs: 340, translationMs: 12, synthesisMs: 0 }
  expect(timingOf(timing)).toEqual(timing)
  expect(timingOf({ ...timing, translationMs: undefined, of: 'theirs' })).toEqual({
    recognitionMs: 340,
    synthesisMs: 0,
  })
})

test.each([
  undefined,
  null,
  'fast',
  [],
  {},
  { recognitionMs: '340' },
  { recognitionMs: -1 },
  { recognitionMs: Number.NaN },
  { recognitionMs: Number.POSITIVE_INFINITY },
  { recognitionMs: 600_001 },
  { __proto__: { recognitionMs: 5 } },
])('%j is treated as absent', value => {
  expect(timingOf(value)).toBeUndefined()
})

test('accepts only finite times in range', () => {
  fc.assert(
    fc.property(fc.anything(), value => {
      for (const ms of Object.values(timingOf(value) ?? {})) expect(ms >= 0 && ms <= 600_000).toBe(true)
    }),
    { seed: 7, numRuns: 500 },
  )
})

test('a service can name the language that it detected', () => {
  const of = (languageIdHeard: unknown) => readResult({ id: '1', text: 'x', languageIdHeard }, '0')
  expect(JSON.stringify(of('de-de'))).toContain('de-de')
  for (const value of [undefined, null, 5, '', 'German', ['de-de']]) expect(of(value)).toEqual(of(undefined))
})

test('a service can name the engines that serve instead of others', () => {
  const of = (standIns: unknown) => readResult({ id: '1', text: 'x', standIns }, '0').standIns
  expect(of({ synthesis: 'espeak', translation: 'a'.repeat(100), other: 'x' })).toEqual({
    synthesis: 'espeak',
    translation: 'a'.repeat(64),
  })
  for (const value of [undefined, null, 'espeak', [], {}, { synthesis: 5 }, { synthesis: '' }])
    expect(of(value)).toBeUndefined()
})
