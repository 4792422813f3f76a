import { expect, test } from 'vitest'
import { FairPlaces } from '../../src/net/fair-places.ts'

const many = (count: number) => Array.from({ length: count }, (_, at) => ({ at }))

test('the oldest holder of the largest group makes room, never the newcomer', () => {
  const places = new FairPlaces<object>()
  const crowd = many(3)
  const [single, pair, twin] = many(3) as [object, object, object]
  places.add(single, 'single')
  for (const one of crowd) places.add(one, 'crowd')
  places.add(pair, 'pair')
  places.add(twin, 'pair')
  expect(places.crowding()).toBe(crowd[0])
  expect(places.crowding(crowd[0])).toBe(crowd[1])
  places.remove(crowd[0]!)
  // Two of each now, except the single one: the older group counts.
  expect(places.crowding()).toBe(crowd[1])
  places.remove(crowd[1]!)
  places.remove(crowd[2]!)
  expect(places.crowding(twin)).toBe(single)
  expect([places.size, places.of('pair'), places.of('crowd')]).toEqual([3, 2, 0])
})

test('a holder that moves to another group counts there only', () => {
  const places = new FairPlaces<object>()
  const [one] = many(1) as [object]
  places.add(one, 'a')
  places.add(one, 'a')
  places.add(one, 'b')
  expect([places.size, places.of('a'), places.of('b'), places.has(one)]).toEqual([1, 0, 1, true])
  expect(places.crowding(one)).toBeUndefined()
  expect([places.remove(one), places.remove(one), places.size]).toEqual([true, false, 0])
})
