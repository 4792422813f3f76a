import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { LINGER_MS, RoomLives } from '../../../src/core/calls/room-lifetimes.ts'

function lives() {
  const clock = new FakeClock()
  const of = new RoomLives(clock)
  const ended: string[] = []
  of.onEnded(room => ended.push(room))
  return { clock, of, ended }
}

test('a room without a creator lives until shortly after its last participant', () => {
  const { clock, of, ended } = lives()
  of.opened('a')
  const first = of.idOf('a')
  of.closed('a')
  clock.advance(LINGER_MS - 1)
  // All were cut off and have reconnected.
  of.opened('a')
  clock.advance(LINGER_MS)
  expect([of.idOf('a'), ended]).toEqual([first, []])
  of.closed('a')
  clock.advance(LINGER_MS)
  expect([of.idOf('a'), ended]).toEqual([undefined, ['a']])
  of.opened('a')
  expect(of.idOf('a')).not.toBe(first)
})

test('a created room continues while empty, until it is ended', () => {
  const { clock, of, ended } = lives()
  of.create('a')
  const first = of.idOf('a')
  of.opened('a', 'one')
  of.closed('a')
  clock.advance(10 * LINGER_MS)
  of.opened('a', 'two')
  expect(of.idOf('a')).toBe(first)
  ended.length = 0
  of.end('a')
  // Links and codes from the farewell are revoked as well.
  of.closed('a')
  expect([of.idOf('a'), ended]).toEqual([undefined, ['a', 'a']])
  of.create('a')
  of.opened('a', 'three')
  expect(of.idOf('a')).not.toBe(first)
  expect(['one', 'two', 'three'].map(id => of.holds(first!, id))).toEqual([true, true, false])
})

test('remembers the sittings of ended lives for a day, up to a limit', () => {
  const { clock, of } = lives()
  const begun = (room: string) => {
    of.opened(room, `in ${room}`)
    const id = of.idOf(room)!
    of.end(room)
    return id
  }
  const first = begun('a')
  const second = begun('b')
  for (let n = 0; n < 9_999; n++) begun(`c${n}`)
  expect([of.holds(first, 'in a'), of.holds(second, 'in b')]).toEqual([false, true])
  clock.advance(24 * 3_600_000)
  expect(of.holds(second, 'in b')).toBe(false)
})
