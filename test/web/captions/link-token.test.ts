import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { RoomLives } from '../../../src/core/calls/room-lifetimes.ts'
import { LinkTokens } from '../../../src/web/captions/caption-links.ts'

function tokens() {
  const time = { now: 1_000_000 }
  const lives = new RoomLives(new FakeClock())
  for (const room of ['the desk: ä', 'desk', 'other']) lives.create(room)
  return { time, lives, links: new LinkTokens(() => time.now, lives) }
}

test('a link opens its room until it expires', () => {
  const { time, links } = tokens()
  const { token, until } = links.issue('the desk: ä', 60_000)
  expect(until).toBe(1_060_000)
  expect(links.allows(token, 'the desk: ä')).toBe(true)
  expect(links.allows(token, 'other')).toBe(false)
  time.now = until
  expect(links.allows(token, 'the desk: ä')).toBe(false)
})

test('a link has one spelling, and an identity of its own', () => {
  const { links } = tokens()
  const [{ token }, other] = [links.issue('desk', 60_000), links.issue('desk', 60_000)]
  const [grant = '', signature = ''] = token.split('.')
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const same = Array.from(ALPHABET, last => `${signature.slice(0, -1)}${last}`).filter(
    each => each !== signature && Buffer.from(each, 'base64url').equals(Buffer.from(signature, 'base64url')),
  )
  expect(same).toHaveLength(3)
  const spellings = [
    ...same.map(each => `${grant}.${each}`),
    `${grant}.${Buffer.from(signature, 'base64url').toString('base64')}`,
    `${grant}.${signature}=`,
    `${grant}=.${signature}`,
    `${token}.`,
    ` ${token}`,
  ]
  for (const each of spellings) {
    expect(links.allows(each, 'desk'), each).toBe(false)
    expect(links.idOf(each, 'desk'), each).toBeUndefined()
  }
  expect(links.idOf(token, 'desk')).toEqual(expect.any(String))
  expect(links.idOf(token, 'desk')).not.toBe(links.idOf(other.token, 'desk'))
})

test('revokes the existing links of one room only', () => {
  const { links } = tokens()
  const [before, other] = [links.issue('desk', 60_000).token, links.issue('other', 60_000).token]
  const told: string[] = []
  using _ = links.onRevoked(room => told.push(room))
  links.revoke('desk')
  const after = links.issue('desk', 60_000).token
  expect([before, other, after].map((token, at) => links.allows(token, at === 1 ? 'other' : 'desk'))).toEqual(
    [false, true, true],
  )
  expect(told).toEqual(['desk'])
})

test('a link states its lifetime, which is limited', () => {
  const { time, links } = tokens()
  const { token } = links.issue('desk', 60_000)
  time.now += 20_000
  expect([links.leftMs(token, 'desk'), links.leftMs(token, 'other')]).toEqual([40_000, 0])
  for (const ttlMs of [0, -1, Number.NaN, 86_400_001])
    expect(() => links.issue('desk', ttlMs)).toThrow(`got ${ttlMs}`)
})

test('a link opens the life that it was created for, and no later one of the same name', () => {
  const { lives, links } = tokens()
  lives.opened('desk', 'first')
  const { token } = links.issue('desk', 60_000)
  expect([links.opens(token, 'desk'), links.opens(token, 'other')]).toEqual([true, false])
  lives.end('desk')
  expect(links.opens(token, 'desk')).toBe(false)
  expect(() => links.issue('desk', 60_000)).toThrow('does not exist')
  lives.create('desk')
  lives.opened('desk', 'second')
  expect(links.opens(token, 'desk')).toBe(false)
  expect(['first', 'second'].map(id => links.opensTranscript(token, 'desk', id))).toEqual([true, false])
  expect(links.opensTranscript(token, 'other', 'first')).toBe(false)
})

test('every run has a different secret', () => {
  const { token } = tokens().links.issue('desk', 60_000)
  expect(tokens().links.allows(token, 'desk')).toBe(false)
})

test('rejects any other text, and any modified token', () => {
  const { links } = tokens()
  const { token } = links.issue('desk', 60_000)
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.constant('.'), fc.constant('')), text => {
      expect(links.allows(text, 'desk')).toBe(false)
      expect(links.allows(`${text}${token}`, 'desk')).toBe(text === '')
      expect(links.allows(`${token}.${text}`, 'desk')).toBe(false)
    }),
    { seed: 3, numRuns: 300 },
  )
  const [grant = ''] = token.split('.')
  for (let at = 0; at < grant.length; at++)
    expect(
      links.allows(`${grant.slice(0, at)}${grant[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`, 'desk'),
    ).toBe(false)
})
