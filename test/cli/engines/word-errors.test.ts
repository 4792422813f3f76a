import { expect, test } from 'vitest'
import { errorRate, wordErrors } from '../../../src/cli/engines/word-errors.ts'

test.each([
  ['one two three', 'one two three', 0],
  ['one two three', 'one three', 1],
  ['one two three', 'one two too three', 1],
  ['one two three', 'one tool three', 1],
  ['one two three', '', 3],
  ['', 'one', 1],
  ['And Mr. John', 'and mister john', 0],
])('%j heard as %j has %i errors', (wanted, heard, errors) => {
  expect(wordErrors(wanted, heard).errors).toBe(errors)
})

test('computes the rate by words, not by sentences', () => {
  expect(errorRate([wordErrors('one', ''), wordErrors('one two three', 'one two three')])).toBe(25)
})
