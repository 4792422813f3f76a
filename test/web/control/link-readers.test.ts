import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { LinkReaders } from '../../../src/web/control/link-readers.ts'

const bearer = (token: string, group: string | undefined) => ({ room: 'r', token, link: token, group })

test('counts streams by link and by address, and frees them when they end', () => {
  const readers = new LinkReaders({ readersPerLink: 3, readersPerAddress: 2 }, new FakeClock())
  const first = readers.open(bearer('a', '1'))!
  expect(readers.open(bearer('a', '1'))).toBeDefined()
  expect(readers.open(bearer('b', '1'))).toBeUndefined()
  expect(readers.open(bearer('a', '2'))).toBeDefined()
  expect(readers.open(bearer('a', '3'))).toBeUndefined()
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  expect(readers.open(bearer('a', '3'))).toBeDefined()
  expect(readers.open(bearer('a', '3'))).toBeUndefined()
})

test('all links together leave capacity for keys', () => {
  const readers = new LinkReaders({ readersPerLink: 1_000, readersPerAddress: 1_000 }, new FakeClock())
  let open = 0
  for (let n = 0; n < 1_000; n++) if (readers.open(bearer(`t${n % 7}`, undefined))) open++
  expect(open).toBe(800)
})
