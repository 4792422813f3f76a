import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { RoomCodeLimiter } from '../../src/core/calls/room-code-limiter.ts'
import { RoomCodes } from '../../src/core/calls/room-codes.ts'
import { RoomLives } from '../../src/core/calls/room-lifetimes.ts'
import { RoomLinks } from '../../src/core/calls/room-links.ts'
import { RoomRevocation } from '../../src/core/calls/room-revocation.ts'
import { LinkTokens } from '../../src/web/captions/caption-links.ts'
import { FleetHub } from '../support/fleet/fleet-hub.ts'
import { LogLines } from '../support/log-lines.ts'

const HOUR_MS = 3_600_000
const CALLER = '+15005550006'

/** Two nodes with their codes and links. */
function nodes() {
  const hub = new FleetHub()
  const clock = new FakeClock(1_000)
  const wall = () => Date.UTC(2026, 0, 1) + clock.now()
  const node = (name: string) => {
    const fleet = hub.join(name)
    const lives = new RoomLives(clock)
    return {
      fleet,
      codes: new RoomCodes(clock, { state: { fleet, wall } }),
      links: new RoomLinks(clock, { fleet, wall }),
      lives,
      captions: new LinkTokens(wall, lives, fleet),
      callers: new RoomCodeLimiter('caller', clock, undefined, fleet),
      addresses: new RoomCodeLimiter('address', clock, undefined, fleet),
    }
  }
  return { hub, clock, a: node('a'), b: node('b') }
}

describe('room codes of a fleet', () => {
  test('made at one node work at another, until they expire or are revoked anywhere', async () => {
    const { clock, a, b } = nodes()
    const [one, two] = [await a.codes.issue('desk', HOUR_MS), await a.codes.issue('desk', HOUR_MS)]
    expect(await b.codes.find(one)).toBe('desk')
    expect(await b.codes.revoke(one)).toBe(true)
    expect([await a.codes.find(one), await a.codes.find(two)]).toEqual([undefined, 'desk'])
    expect(await a.codes.of('desk')).toHaveLength(1)
    await b.codes.revokeAll('desk')
    expect(await a.codes.find(two)).toBeUndefined()
    const last = await b.codes.issue('desk', HOUR_MS)
    clock.advance(HOUR_MS)
    expect(await a.codes.find(last)).toBeUndefined()
  })

  test('are listed at every node, also when the one that made them has ended, and stored encrypted', async () => {
    const { hub, a, b } = nodes()
    const [late, early] = [await a.codes.issue('desk', HOUR_MS), await b.codes.issue('desk', HOUR_MS / 2)]
    await a.codes.issue('other', HOUR_MS)
    const codesAt = async ({ codes }: typeof a) => (await codes.of('desk')).map(({ code }) => code)
    expect(await codesAt(a)).toEqual([late, early])
    expect(await codesAt(b)).toEqual([late, early])
    expect(hub.stored).not.toMatch(new RegExp(`${early}|${late}`))
    a.fleet.kill()
    expect(await codesAt(b)).toEqual([late, early])
    await b.codes.revoke(late)
    expect(await codesAt(b)).toEqual([early])
  })

  test('are unique, and at most a thousand for all nodes', async () => {
    const { clock, a, b } = nodes()
    const given = new Set<string>()
    for (let n = 0; n < 500; n++) {
      given.add(await a.codes.issue(`a ${n}`, HOUR_MS))
      given.add(await b.codes.issue(`b ${n}`, HOUR_MS))
    }
    expect(given.size).toBe(1_000)
    clock.advance(10_000)
    for (const { codes } of [a, b])
      await expect(codes.issue('more', HOUR_MS)).rejects.toMatchObject({ code: 'CAPACITY', retryable: true })
    clock.advance(HOUR_MS)
    expect(await b.codes.find(await a.codes.issue('more', HOUR_MS))).toBe('more')
  })

  test('are found under digests: neither code nor token is stored', async () => {
    const { hub, a } = nodes()
    const code = await a.codes.issue('desk', HOUR_MS)
    const token = await a.links.issue('desk', HOUR_MS)
    expect(hub.stored).toContain('"room":"desk"')
    expect(hub.stored).not.toContain(token)
    expect(hub.stored).not.toMatch(new RegExp(`(?<!\\d)${code}(?!\\d)`))
  })

  test('cannot be checked while the fleet is unavailable', async () => {
    const { a } = nodes()
    const code = await a.codes.issue('desk', HOUR_MS)
    a.fleet.away = true
    await expect(a.codes.find(code)).rejects.toMatchObject({ code: 'FLEET_AWAY' })
    a.fleet.away = false
    expect(await a.codes.find(code)).toBe('desk')
  })
})

test('links of a room are revoked at every node, later if the fleet is unavailable as the room ends', async () => {
  const { a, b } = nodes()
  const token = await a.links.issue('desk', HOUR_MS)
  const other = await a.links.issue('other', HOUR_MS)
  expect([await b.links.find(token), await b.links.has('desk')]).toEqual(['desk', true])
  using revocation = new RoomRevocation([b.links, b.codes], { fleet: b.fleet, log: new LogLines() })
  revocation.start()
  b.fleet.away = true
  revocation.revoke('desk')
  await settled()
  expect(await a.links.find(token)).toBe('desk')
  b.fleet.away = false
  await settled()
  expect([await a.links.find(token), await a.links.find(other)]).toEqual([undefined, 'other'])
})

test('caption links are valid at every node until one revokes them', async () => {
  const { clock, a, b } = nodes()
  a.lives.create('desk')
  const { token } = a.captions.issue('desk', HOUR_MS)
  expect(b.captions.allows(token, 'desk')).toBe(true)
  b.fleet.away = true
  const told: string[] = []
  using _ = a.captions.onRevoked(room => told.push(room))
  await expect(b.captions.revoke('desk')).rejects.toMatchObject({ code: 'FLEET_AWAY' })
  b.fleet.away = false
  await b.captions.revoke('desk')
  expect([a.captions.allows(token, 'desk'), told]).toEqual([false, ['desk']])
  clock.advance(1)
  const later = a.captions.issue('desk', HOUR_MS).token
  expect(b.captions.allows(later, 'desk')).toBe(true)
})

test('a node that was started after a revocation learns of it', async () => {
  const { hub, clock, a } = nodes()
  a.lives.create('desk')
  const { token } = a.captions.issue('desk', HOUR_MS)
  await a.captions.revoke('desk')
  const wall = () => Date.UTC(2026, 0, 1) + clock.now()
  const late = new LinkTokens(wall, new RoomLives(clock), hub.join('c'))
  await late.learn('desk')
  expect(late.allows(token, 'desk')).toBe(false)
})

describe('wrong codes', () => {
  test('of a caller count as one series at all nodes', () => {
    const { hub, a, b } = nodes()
    for (const node of [a, b, a, b, a]) node.callers.begin(CALLER)?.wrong()
    expect([a.callers.mayTry(CALLER), b.callers.mayTry(CALLER)]).toEqual([false, false])
    expect(b.callers.mayTry('+15005550007')).toBe(true)
    expect(hub.messages.join('')).not.toContain('5005550006')
  })

  test('of an address and its network count as one series at all nodes', () => {
    const { hub, a, b } = nodes()
    for (const node of [a, b, a, b, a]) node.addresses.begin('203.0.113.7')?.wrong()
    expect([a.addresses.mayTry('203.0.113.7'), b.addresses.mayTry('203.0.113.7')]).toEqual([false, false])
    for (let n = 10; n < 20; n++) a.addresses.begin(`203.0.113.${n}`)?.wrong()
    expect([b.addresses.mayTry('203.0.113.99'), b.addresses.mayTry('198.51.100.1')]).toEqual([false, true])
    expect(hub.messages.join('')).not.toContain('203.0')
  })
})

/** All pending microtasks. */
function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
