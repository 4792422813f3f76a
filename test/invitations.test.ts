import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isLanguageId } from '../src/core/languages.ts'
import { invitationsOf, type NumberSettings } from '../src/invitations.ts'

const NUMBER = '+15005550001'
const invite = (numbers: Record<string, NumberSettings> = {}) => {
  const decide = invitationsOf({ speaks: 'en-us', hears: 'es-es' }, numbers)
  return (query: Record<string, string> = {}, to = NUMBER) =>
    decide({
      callSid: 'CA1',
      accountSid: 'AC1',
      from: '+15005550006',
      to,
      direction: 'inbound',
      // Fields of the form are the caller's to choose: they decide nothing.
      parameters: { ...query, room: 'theirs', hears: 'fr-fr', speaks: 'fr-fr' },
      query,
      answers: {},
    })
}

describe('a call is invited', () => {
  test('without settings: a room of its own, the default languages', () => {
    expect(invite()()).toEqual({ room: 'call CA1', speaks: 'en-us', hears: 'es-es' })
  })

  test('by the number called, which need not say everything', () => {
    const call = invite({ [NUMBER]: { speaks: 'fr-fr', room: 'desk', original: 'off', name: 'Desk' } })
    expect(call()).toEqual({ room: 'desk', speaks: 'fr-fr', hears: 'es-es', original: 'off', name: 'Desk' })
    expect(call({}, '+15005550002')).toEqual({ room: 'call CA1', speaks: 'en-us', hears: 'es-es' })
  })

  test('by the query over the number', () => {
    const call = invite({ [NUMBER]: { speaks: 'fr-fr', hears: 'de-de', room: 'desk', original: 'off' } })
    expect(call({ speaks: 'it-it', original: 'low', name: 'Ida' })).toEqual({
      room: 'desk',
      speaks: 'it-it',
      hears: 'de-de',
      original: 'low',
      name: 'Ida',
    })
  })

  test('only to listen', () => {
    expect(invite()({ speaks: 'none' })).toEqual({ room: 'call CA1', hears: 'es-es' })
    expect(invite({ [NUMBER]: { speaks: 'none' } })()).not.toHaveProperty('speaks')
    expect(invite({ [NUMBER]: { speaks: 'none' } })({ speaks: 'fr-fr' })).toMatchObject({ speaks: 'fr-fr' })
  })

  test.each([
    ['a language of another form', { speaks: 'English', hears: 'EN_us' }],
    ['nothing', { speaks: '', hears: '', room: '', original: '', name: '' }],
    ['none where somebody must hear', { hears: 'none' }],
    ['a loudness nobody knows', { original: 'constructor' }],
    ['too much', { room: 'x'.repeat(65), name: 'x'.repeat(65) }],
    ['what is not asked for', { callSid: 'CA2', leadMs: '0', token: 'x' }],
    ['control characters', { room: 'a\u0000b', name: 'A\u001b[2J' }],
  ])('as if nothing were said when the query says %s', (_what, parameters) => {
    expect(invite()(parameters)).toEqual(invite()())
  })

  test('as any other when the number has the name of something in every object', () => {
    for (const to of ['__proto__', 'constructor', 'toString', ''])
      expect(invite()({}, to)).toEqual(invite()())
  })

  test('to something that can be, whatever the query says', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('none', 'es-mx', 'duck', 'x-y'))
    const key = fc.oneof(
      fc.constantFrom('speaks', 'hears', 'room', 'original', 'name', '__proto__'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.dictionary(key, text), parameters => {
        const invitation = invite()(parameters)
        if ('refused' in invitation || 'ask' in invitation) throw new Error('not let in')
        expect(Object.keys(invitation).filter(name => !ALL.includes(name))).toEqual([])
        expect(invitation.room.length).toBeGreaterThan(0)
        expect(invitation.room.length).toBeLessThanOrEqual(64)
        expect(isLanguageId(invitation.hears ?? '')).toBe(true)
        if (invitation.speaks !== undefined) expect(isLanguageId(invitation.speaks)).toBe(true)
        expect(['off', 'low', 'duck', undefined]).toContain(invitation.original)
        expect(`${invitation.room}${invitation.name ?? ''}`).not.toMatch(/\p{Cc}/u)
      }),
    )
  })
})

const ALL = ['room', 'speaks', 'hears', 'original', 'name']
