import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { LinkTokens } from '../../../src/web/captions/caption-links.ts'
import { assertLinkOpens, BearerKeys, bearerOf, linkOf } from '../../../src/web/control/auth.ts'
import type { ControlError } from '../../../src/web/control/errors.ts'
import { controlSettingsSchema } from '../../../src/web/control/settings.ts'

const KEY = 'a key of sixteen characters or more'.replaceAll(' ', '-')

function keys(requestsPerMinute: number, nodes?: () => number) {
  const clock = new FakeClock()
  const settings = controlSettingsSchema.parse({ keys: [{ name: 'desk', key: KEY }] })
  return { clock, known: new BearerKeys(settings, clock, { nodes, requestsPerMinute }) }
}

/** The error that `attempt` throws. */
function refusal(attempt: () => unknown): ControlError {
  try {
    attempt()
  } catch (error) {
    return error as ControlError
  }
  throw new Error('nothing was thrown')
}

/** Requests that are accepted at once. */
function accepted(known: BearerKeys): number {
  for (let count = 0; count < 10_000; count++)
    try {
      known.holderOf(`Bearer ${KEY}`, '192.0.2.1')
    } catch {
      return count
    }
  throw new Error('no request was refused')
}

describe('the API key in the authorization header', () => {
  test.each([`Bearer ${KEY}`, `bearer ${KEY}`, `  Bearer ${KEY}\t`])('is accepted as %j', header => {
    expect(keys(60).known.holderOf(header, '192.0.2.1')).toBe('desk')
  })

  test.each([undefined, '', 'Bearer', `x Bearer ${KEY}`, `Bearer ${KEY} x`, `Bearer ${'k'.repeat(1_025)}`])(
    '%j is rejected with key_missing and the name of the scheme',
    header => {
      const error = refusal(() => keys(60).known.holderOf(header, '192.0.2.1'))
      expect([error.specific, error.headers]).toEqual(['key_missing', { 'www-authenticate': 'Bearer' }])
    },
  )

  test('a wrong key is rejected with key_wrong and the name of the scheme', () => {
    const error = refusal(() => keys(60).known.holderOf('Bearer wrong', '192.0.2.1'))
    expect([error.specific, error.headers]).toEqual([
      'key_wrong',
      { 'www-authenticate': 'Bearer error="invalid_token"' },
    ])
  })

  test.each([
    [60, 20],
    [600, 100],
  ])('at %d requests per minute, %d are accepted at once: those of 10 s, but at least 20', (rate, burst) => {
    expect(accepted(keys(rate).known)).toBe(burst)
  })

  test('with five nodes, each accepts a fifth of the burst; while no node is known, all of it', () => {
    expect(accepted(keys(600, () => 5).known)).toBe(20)
    expect(accepted(keys(600, () => 0).known)).toBe(100)
  })
})

describe('a link', () => {
  /** Links to rooms of which each has one life. */
  function setUp() {
    const lives = new Map([
      ['lounge', 'life-1'],
      ['bureau', 'life-2'],
    ])
    const links = new LinkTokens(() => 1_700_000_000_000, {
      idOf: room => lives.get(room),
      is: (room, life) => lives.get(room) === life,
      holds: () => false,
    })
    return { lives, links, token: links.issue('lounge', 60_000).token }
  }
  const request = (authorization?: string, token?: unknown) => ({
    headers: authorization === undefined ? {} : { authorization },
    query: token === undefined ? {} : { token },
  })

  test('is read from the header, or else from the query', () => {
    const { links, token } = setUp()
    expect(linkOf(request(`Bearer ${token}`), 'lounge', links)).toBe(token)
    expect(linkOf(request(` bearer ${token} `), 'lounge', links)).toBe(token)
    expect(linkOf(request(undefined, token), 'lounge', links)).toBe(token)
    // A header counts alone, since it can hold a key.
    expect(linkOf(request('Bearer other', token), 'lounge', links)).toBeUndefined()
  })

  test.each([
    (token: string) => request(token),
    (token: string) => request(`x Bearer ${token}`),
    (token: string) => request(`Bearer ${token} x`),
    (token: string) => request(undefined, [token]),
    () => request(),
  ])('is not read from anything else (%#)', make => {
    const { links, token } = setUp()
    expect(linkOf(make(token), 'lounge', links)).toBeUndefined()
  })

  test('belongs to one room', () => {
    const { links, token } = setUp()
    expect(linkOf(request(`Bearer ${token}`), 'bureau', links)).toBeUndefined()
    expect(linkOf(request(`Bearer ${token}`), undefined, links)).toBeUndefined()
  })

  test('of an earlier life of its room is refused, and none is needed by a key', () => {
    const { lives, links, token } = setUp()
    assertLinkOpens({ links }, 'lounge', token)
    lives.set('lounge', 'life-3')
    const error = refusal(() => assertLinkOpens({ links }, 'lounge', token))
    expect([error.specific, error.headers]).toEqual([
      'key_wrong',
      { 'www-authenticate': 'Bearer error="invalid_token"' },
    ])
    assertLinkOpens({ links }, 'lounge', undefined)
  })

  test('identifies its reader by room, token and the group of the address', () => {
    const { links, token } = setUp()
    const context = { links, groupOf: (address: string) => `group of ${address}` }
    const reader = { ...request(`Bearer ${token}`), ip: '192.0.2.1' }
    expect(bearerOf(reader, 'lounge', context)).toEqual({
      room: 'lounge',
      token,
      link: links.idOf(token, 'lounge'),
      group: 'group of 192.0.2.1',
    })
    expect(bearerOf({ ...reader, ...request(`Bearer ${KEY}`) }, 'lounge', context)).toBeUndefined()
  })
})
