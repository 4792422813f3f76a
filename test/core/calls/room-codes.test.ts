import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { RoomCodes } from '../../../src/core/calls/room-codes.ts'

const MINUTE_MS = 60_000

function codes(numbers: number[] = []) {
  const clock = new FakeClock(5_000)
  const made =
    numbers.length === 0 ? new RoomCodes(clock) : new RoomCodes(clock, { random: () => numbers.shift() ?? 0 })
  return { clock, codes: made }
}

test('a code is valid for its room until it expires', async () => {
  const { clock, codes: it } = codes()
  const expiresAt = clock.now() + MINUTE_MS
  const code = await it.issue('desk', MINUTE_MS)
  expect(code).toMatch(/^\d{8}$/)
  expect(await it.find(code)).toBe('desk')
  clock.advance(MINUTE_MS - 1)
  expect(await it.find(code)).toBe('desk')
  const [known] = await it.of('desk')
  expect(known).toMatchObject({ code, room: 'desk' })
  expect(known?.expiresAt).toBeCloseTo(expiresAt, 0)
  clock.advance(1)
  expect(await it.find(code)).toBeUndefined()
  expect(await it.of('desk')).toEqual([])
})

test('keeps leading zeros, and issues no code twice', async () => {
  const { codes: it } = codes([42, 42, 42, 7])
  expect(await it.issue('a', MINUTE_MS)).toBe('00000042')
  expect(await it.issue('b', MINUTE_MS)).toBe('00000007')
  expect(await it.find('00000042')).toBe('a')
  expect(await it.find('42')).toBeUndefined()
})

test('revokes one code, or all codes of a room, once', async () => {
  const { codes: it } = codes()
  const [one, two, other] = [
    await it.issue('a', MINUTE_MS),
    await it.issue('a', MINUTE_MS),
    await it.issue('b', MINUTE_MS),
  ] as const
  expect(await it.revoke(one)).toBe(true)
  expect(await it.revoke(one)).toBe(false)
  expect(await it.find(two)).toBe('a')
  await it.revokeAll('a')
  expect([await it.find(one), await it.find(two), await it.find(other)]).toEqual([undefined, undefined, 'b'])
})

test('keeps guessing hopeless: at most a thousand codes, and expired ones make room', async () => {
  const { clock, codes: it } = codes()
  for (let i = 0; i < 1_000; i++) await it.issue(`room ${i}`, MINUTE_MS)
  await expect(it.issue('one more', MINUTE_MS)).rejects.toThrow(
    expect.objectContaining({ code: 'CAPACITY', retryable: true }),
  )
  clock.advance(MINUTE_MS)
  expect(await it.find(await it.issue('one more', MINUTE_MS))).toBe('one more')
})

test('rejects an invalid code lifetime', async () => {
  const { codes: it } = codes()
  for (const ttlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 8 * 24 * 60 * MINUTE_MS])
    expect(() => it.issue('a', ttlMs)).toThrow(`got ${ttlMs}`)
})

test('for any sequence, a code belongs to its own room or to none', async () => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant('issue' as const),
      room: fc.constantFrom('a', 'b'),
      ttl: fc.integer({ min: 1, max: 50 }),
    }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 30 }) }),
    fc.record({ do: fc.constant('revoke' as const), at: fc.nat(20) }),
    fc.record({ do: fc.constant('revokeAll' as const), room: fc.constantFrom('a', 'b') }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
      const { clock, codes: it } = codes()
      const given: { code: string; room: string; until: number }[] = []
      for (const each of steps) {
        if (each.do === 'issue')
          given.push({
            code: await it.issue(each.room, each.ttl),
            room: each.room,
            until: clock.now() + each.ttl,
          })
        else if (each.do === 'wait') clock.advance(each.ms)
        else if (each.do === 'revokeAll') {
          await it.revokeAll(each.room)
          for (const g of given) if (g.room === each.room) g.until = 0
        } else if (given[each.at]) {
          await it.revoke(given[each.at]!.code)
          for (const g of given) if (g.code === given[each.at]!.code) g.until = 0
        }
        for (const g of given)
          if (given.findLast(other => other.code === g.code) === g)
            expect(await it.find(g.code)).toBe(g.until > clock.now() ? g.room : undefined)
      }
    }),
    { seed: 4, numRuns: 200 },
  )
})

test('a fixed code never expires, belongs to its room alone, and cannot be revoked', async () => {
  const clock = new FakeClock(5_000)
  const numbers = [42, 7]
  const it = new RoomCodes(clock, {
    fixed: { '00000042': 'desk', '12345678': 'hall' },
    random: () => numbers.shift() ?? 0,
  })
  expect(await it.issue('other', MINUTE_MS)).toBe('00000007')
  expect(await it.revoke('00000042')).toBe(false)
  await it.revokeAll('desk')
  clock.advance(365 * 86_400_000)
  expect([await it.find('00000042'), await it.find('12345678'), await it.find('00000007')]).toEqual([
    'desk',
    'hall',
    undefined,
  ])
  expect([await it.of('desk'), await it.find('constructor')]).toEqual([[], undefined])
})
