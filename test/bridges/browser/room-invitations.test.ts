import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { RoomInvitations } from '../../../src/bridges/browser/room-invitations.ts'
import { RoomCodes } from '../../../src/core/calls/room-codes.ts'
import { RoomLinks } from '../../../src/core/calls/room-links.ts'

const HOUR_MS = 3_600_000

function desk() {
  const clock = new FakeClock(1_000)
  const links = new RoomLinks(clock)
  const roomCodes = new RoomCodes(clock)
  const listenLinks = new RoomLinks(clock, undefined, 'listen links')
  const paths = { page: '/', listenPage: '/listen' }
  const invites = new RoomInvitations({
    ...{ links, listenLinks, roomCodes, clock, ...paths },
    ttlMs: 2 * HOUR_MS,
  })
  /** Requests an invitation; returns whether one was issued, and whether it has a code. */
  const asks = async (room: string, address = 'a') => {
    try {
      return (await invites.give(room, address)).code === undefined ? 'link' : 'both'
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  return { clock, links, listenLinks, roomCodes, invites, asks }
}

describe('invitations from the page', () => {
  test('admit to the room, by link and by code, and only to listen by another link', async () => {
    const { links, listenLinks, roomCodes, invites } = desk()
    const { path, listenPath, code = '', endsInMs } = await invites.give('r', 'a')
    expect(await links.find(path.replace('/#join=', ''))).toBe('r')
    const token = listenPath.replace('/listen#join=', '')
    expect([await listenLinks.find(token), await links.find(token)]).toEqual(['r', undefined])
    expect(await roomCodes.find(code)).toBe('r')
    expect(endsInMs).toBe(2 * HOUR_MS)
  })

  test('are reused for a room until half their lifetime has passed', async () => {
    const { clock, links, roomCodes, invites } = desk()
    const first = await invites.give('r', 'a')
    for (let n = 0; n < 5_000; n++) expect((await invites.give('r', 'a')).path).toBe(first.path)
    clock.advance(HOUR_MS)
    expect(await invites.give('r', 'a')).toEqual({ ...first, endsInMs: HOUR_MS })
    clock.advance(1)
    const second = await invites.give('r', 'a')
    expect(second.path).not.toBe(first.path)
    expect(second.code).not.toBe(first.code)
    // The first one stays valid until it expires.
    expect([await links.count(), (await roomCodes.of('r')).length]).toEqual([2, 2])
  })

  test('are renewed after the link or the code was revoked', async () => {
    const { links, roomCodes, invites } = desk()
    const first = await invites.give('r', 'a')
    await links.revokeAll('r')
    const second = await invites.give('r', 'a')
    expect(second.path).not.toBe(first.path)
    await roomCodes.revoke(second.code ?? '')
    expect((await invites.give('r', 'a')).code).not.toBe(second.code)
  })

  test('cannot use up links or codes, neither with many rooms nor from many addresses', async () => {
    const { clock, asks, roomCodes } = desk()
    const tried: string[] = []
    for (let n = 0; n < 50; n++) tried.push(await asks(`mine ${n}`))
    expect(tried.filter(each => each === 'both')).toHaveLength(20)
    expect(tried.slice(20).every(each => each === 'CAPACITY')).toBe(true)
    // Other addresses, and rooms that have an invitation, are not limited.
    expect([await asks('theirs', 'b'), await asks('mine 3')]).toEqual(['both', 'both'])
    clock.advance(60_000)
    expect([await asks('mine 20'), await asks('mine 21')]).toEqual(['both', 'CAPACITY'])
    for (let n = 0; n < 1_000; n++) await asks(`crowd ${n}`, `address ${n}`)
    expect(await asks('late', 'c')).toBe('link')
    // Codes remain for phones, channels and programs.
    expect(await roomCodes.issue('desk', HOUR_MS)).toMatch(/^\d{8}$/)
    clock.advance(2 * HOUR_MS)
    expect(await asks('later', 'c')).toBe('both')
  })
})
