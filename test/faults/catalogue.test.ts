import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ROOT = new URL('../../', import.meta.url)
const page = readFileSync(new URL('test/faults/CATALOGUE.md', ROOT), 'utf8')
const files = new Map(
  [...page.matchAll(/^\| `([^`]+)` \| (test\/\S+) \|$/gm)].map(([, name, path]) => [name!, path!]),
)
const sources = new Map([...files].map(([name, path]) => [name, readFileSync(new URL(path, ROOT), 'utf8')]))
const named = [...page.matchAll(/`([^`]+) › ([^`]+)`/g)].map(([, file, begin]) => ({
  file: file!,
  begin: begin!,
}))

/** Checks whether a test or a group in `source` has a name that starts with `begin`; `%` matches anything. */
function has(source: string, begin: string): boolean {
  const names = [...source.matchAll(/(?:\b(?:test|it|describe)\b[\w.]*\(|\)\()\s*(['"`])(.*?)\1\s*,/gs)].map(
    ([, , name]) => name!,
  )
  // Rows of `test.each` at the start of a name, also as the keys of a table.
  const rows = [...source.matchAll(/^\s*(?:\[\s*)?'([^']+)'[:,]/gm)].map(([, name]) => name!)
  return [...names, ...rows].some(name => name.startsWith(begin))
}

test.each(named.filter(({ begin }) => begin !== 'C3'))(
  'the page names a test that exists: $file › $begin',
  ({ file, begin }) => {
    expect([...files.keys()]).toContain(file)
    expect(has(sources.get(file)!, begin)).toBe(true)
  },
)

test('the check detects missing names', () => {
  expect(named.length).toBeGreaterThan(60)
  expect(has(sources.get('reaching')!, 'C99')).toBe(false)
})

test('lists every attack once, with its result and its test', () => {
  const rows = [...page.matchAll(/^\| (G\d+(?:–G\d+)?) \|(.*)\|$/gm)].map(([, number, cells]) => ({
    number: number!,
    cells: cells!.split(' | ').map(cell => cell.trim()),
  }))
  const numbers = rows.flatMap(({ number }) => {
    const [first = 0, last = first] = number.split('–').map(each => Number(each.slice(1)))
    return Array.from({ length: last - first + 1 }, (_, n) => first + n)
  })
  expect(numbers).toEqual(Array.from({ length: 56 }, (_, n) => n + 1))
  for (const { number, cells } of rows) {
    expect(cells, number).toHaveLength(4)
    expect(/ › |not shown:/i.test(cells.join()), number).toBe(true)
  }
})

test('lists every network condition, with a cell for each of the three networks', () => {
  const rows = [...page.matchAll(/^\| F(\d+) \|(.*)\|$/gm)]
  expect(rows.map(([, number]) => Number(number))).toEqual(Array.from({ length: 12 }, (_, n) => n + 1))
  for (const [, number, row] of rows) {
    const [, ...cells] = row!.split(' | ')
    expect(cells, number).toHaveLength(3)
    for (const cell of cells) expect(cell, number).toMatch(/ › |not shown:/)
  }
})

test.each([
  ['A', 42],
  ['B', 41],
  ['C', 54],
  ['D', 41],
  ['E', 41],
  ['H', 44],
])('lists every fault of seam %s once, with its effect and its test', (seam, count) => {
  const rows = [...page.matchAll(new RegExp(`^\\| (${seam}\\d+) \\|(.*)\\|$`, 'gm'))].map(
    ([, number, cells]) => ({
      number: number!,
      cells: cells!.split(' | ').map(cell => cell.trim()),
    }),
  )
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, n) => `${seam}${n + 1}`))
  for (const { number, cells } of rows) {
    expect(cells, number).toHaveLength(4)
    expect(
      cells.every(cell => cell !== ''),
      number,
    ).toBe(true)
    expect(/ › |not shown:/.test(cells.join()), number).toBe(true)
  }
})
