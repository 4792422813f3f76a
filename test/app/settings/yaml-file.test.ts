import { expect, test, vi } from 'vitest'
import { readYaml } from '../../../src/app/settings/load.ts'
import type { Problem } from '../../../src/app/settings/problems.ts'

const nested = (depth: number) =>
  Array.from({ length: depth }, (_, n) => `a${n}: &a${n} [${Array(9).fill(n === 0 ? 1 : `*a${n - 1}`)}]`)

test.each([
  ['an unresolved alias', 'port: *nothing', 'dragoman.yaml:1'],
  ['a table that contains itself', 'port: 1\ncalls: &calls\n  more: *calls', 'dragoman.yaml:3'],
  ['too many nested aliases', nested(9).join('\n'), 'dragoman.yaml:1'],
  ['a key that is not a word', '? [secret]\n: 1', 'dragoman.yaml:1'],
  ['a key that is not a word', '!!binary "c2VjcmV0": 1', 'dragoman.yaml:1'],
])('reports %s without its content', (found, text, source) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const problems: Problem[] = []
  expect(readYaml(text, 'dragoman.yaml', problems).values).toEqual({})
  expect(problems).toEqual([{ key: 'YAML', source, found, allowed: expect.any(String) }])
  expect(warned).not.toHaveBeenCalled()
  warned.mockRestore()
})

test('resolves an anchor and its aliases', () => {
  const problems: Problem[] = []
  const { values } = readYaml('a: &one {b: 1}\nc: *one', 'dragoman.yaml', problems)
  expect([values, problems]).toEqual([{ a: { b: 1 }, c: { b: 1 } }, []])
})
