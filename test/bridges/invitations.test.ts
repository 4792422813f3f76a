import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import type { Answers } from '../../src/bridges/phone/index.ts'
import { createNumberRouter, type NumberRouterOptions } from '../../src/bridges/phone/number-routing.ts'
import type { NumberSettings } from '../../src/bridges/phone/number-settings.ts'
import type { RememberedLanguages } from '../../src/bridges/phone/remembered-languages.ts'
import { isLanguageId } from '../../src/common/language.ts'
import { RoomCodeLimiter } from '../../src/core/calls/room-code-limiter.ts'

const NUMBER = '+15005550001'
const FROM = '+15005550006'
const invite = (numbers: Record<string, NumberSettings> = {}) => {
  const decide = createNumberRouter({ speaks: 'en-us', hears: 'es-es' }, numbers)
  return (query: Record<string, string> = {}, to = NUMBER) =>
    decide({
      callId: 'CA1',
      accountId: 'AC1',
      from: '+15005550006',
      to,
      direction: 'inbound',
      // Fields of the form are the caller's choice: they decide nothing.
      parameters: { ...query, room: 'theirs', hears: 'fr-fr', speaks: 'fr-fr' },
      query,
      answers: {},
    })
}

describe('a call is invited', () => {
  test('without settings: to its own room, with the default languages', () => {
    expect(invite()()).toEqual({ room: 'call CA1', speaks: 'en-us', hears: 'es-es' })
  })

  test('by the number called, whose settings can be partial', () => {
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

  test('by a language in another spelling', () => {
    expect(invite()({ speaks: 'pt', hears: 'EN_gb' })).toMatchObject({ speaks: 'pt-br', hears: 'en-gb' })
  })

  test('only to listen', () => {
    expect(invite()({ speaks: 'none' })).toEqual({ room: 'call CA1', hears: 'es-es' })
    expect(invite({ [NUMBER]: { speaks: 'none' } })()).not.toHaveProperty('speaks')
    expect(invite({ [NUMBER]: { speaks: 'none' } })({ speaks: 'fr-fr' })).toMatchObject({ speaks: 'fr-fr' })
  })

  test.each([
    ['no language', { speaks: 'English', hears: 'en-usa' }],
    ['nothing', { speaks: '', hears: '', room: '', original: '', name: '' }],
    ['none where someone must hear', { hears: 'none' }],
    ['a loudness nobody knows', { original: 'constructor' }],
    ['too much', { room: 'x'.repeat(65), name: 'x'.repeat(65) }],
    ['what is not asked for', { callId: 'CA2', leadMs: '0', token: 'x' }],
    ['control characters', { room: 'a\u0000b', name: 'A\u001b[2J' }],
  ])('as if nothing were said when the query says %s', (_what, parameters) => {
    expect(invite()(parameters)).toEqual(invite()())
  })

  test('with a line in the log for each mistake in the query, and no number in it', () => {
    const lines: object[] = []
    const note = (fields: object, message: string) => void lines.push({ ...fields, message })
    const log = { debug: note, info: note, warn: note, error: note }
    const decide = createNumberRouter({ speaks: 'en-us', hears: 'es-es' }, {}, undefined, log)
    const query = { speaks: 'english', room: 'desk' }
    decide({ ...CALL, query, parameters: query })
    expect(lines).toEqual([
      {
        callId: 'CA1',
        parameter: 'speaks',
        found: '"english"',
        allowed: 'a language like en-us, or none',
        message: 'invalid webhook query',
      },
    ])
  })

  test('as any other if the number has the name of an object property', () => {
    for (const to of ['__proto__', 'constructor', 'toString', ''])
      expect(invite()({}, to)).toEqual(invite()())
  })

  test('with valid values for any query', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('none', 'es-mx', 'duck', 'x-y'))
    const key = fc.oneof(
      fc.constantFrom('speaks', 'hears', 'room', 'original', 'name', '__proto__'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.dictionary(key, text), parameters => {
        const invitation = invite()(parameters)
        if (invitation instanceof Promise || 'refused' in invitation || 'ask' in invitation)
          throw new Error('not admitted')
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

/** A number with one code, on a simulated clock. */
function numberWithCode() {
  const remembered = new Map<string, string>()
  const limiter = new RoomCodeLimiter('caller', new FakeClock(1_000))
  const memory = {
    find: (from: string) => remembered.get(from),
    remember: (from: string, language: string) => void remembered.set(from, language),
  }
  const roomOf = async (code: string) => (code === '482913' ? 'desk' : undefined)
  return {
    remembered,
    options: { roomOf, roomCodeLimiter: limiter, remembered: memory as unknown as RememberedLanguages },
  }
}

function caller(settings: NumberSettings, options?: NumberRouterOptions) {
  const decide = createNumberRouter({ speaks: 'en-us', hears: 'es-es' }, { [NUMBER]: settings }, options)
  return (answers: Answers = {}, query: Record<string, string> = {}, callId = 'CA1') =>
    decide({
      callId,
      accountId: 'AC1',
      from: FROM,
      to: NUMBER,
      direction: 'inbound',
      parameters: { ...query },
      query,
      answers,
    })
}

describe('a number that connects with a callee', () => {
  const DIAL = { to: '+12125550123', speaks: 'en-us', name: 'Desk' }

  test('puts each caller into a separate room and names the callee', () => {
    const call = caller({
      speaks: 'es-es',
      name: 'Ana',
      dial: { ...DIAL, unanswered: 'stay' },
    })
    expect(call()).toEqual({
      room: 'call CA1',
      speaks: 'es-es',
      hears: 'es-es',
      name: 'Ana',
      echo: false,
      dial: {
        to: '+12125550123',
        callee: { speaks: 'en-us', hears: 'en-us', name: 'Desk' },
        unanswered: 'stay',
      },
    })
    expect(call({}, {}, 'CA2')).toMatchObject({ room: 'call CA2' })
    // An address cannot open another caller's room.
    expect(call({}, { room: 'call CA9' })).toMatchObject({ room: 'call CA1' })
  })

  test('supports listening only, and different languages', () => {
    expect(caller({ dial: { to: '+12125550123', speaks: 'none' } })()).toMatchObject({
      speaks: 'en-us',
      hears: 'en-us',
      dial: { callee: { hears: 'es-es' } },
    })
    expect(caller({ dial: { to: '+12125550123', speaks: 'none' } })()).not.toHaveProperty(
      'dial.callee.speaks',
    )
    expect(caller({ speaks: 'none', dial: { ...DIAL, hears: 'fr-fr', original: 'off' } })()).toMatchObject({
      hears: 'es-es',
      dial: { callee: { speaks: 'en-us', hears: 'fr-fr', original: 'off' } },
    })
  })
})

describe('a number with a menu', () => {
  const MENU = { languages: ['en-us', 'es-es'] } as const

  test('asks for the language first', () => {
    const call = caller({ room: 'desk', menu: MENU })
    expect(call()).toEqual({ ask: 'language', languages: ['en-us', 'es-es'] })
    expect(call({ language: 'es-es' })).toEqual({ room: 'desk', speaks: 'es-es', hears: 'es-es' })
    expect(call({ language: 'fr-fr' })).toMatchObject({ ask: 'language' })
    expect(call({}, { speaks: 'fr-fr' })).toMatchObject({ speaks: 'fr-fr' })
  })

  test('does not ask while it is disabled', () => {
    expect(caller({ room: 'desk', menu: { ...MENU, mode: 'fixed' } })()).toMatchObject({ room: 'desk' })
  })

  test('asks once if it remembers, and again when the language is no longer offered', () => {
    const { options, remembered } = numberWithCode()
    const call = caller({ room: 'desk', menu: { ...MENU, mode: 'remembered' } }, options)
    expect(call()).toMatchObject({ ask: 'language' })
    expect(call({ language: 'es-es' })).toMatchObject({ speaks: 'es-es' })
    expect(call()).toEqual({ room: 'desk', speaks: 'es-es', hears: 'es-es' })
    const other = caller(
      { room: 'desk', menu: { languages: ['en-us', 'fr-fr'], mode: 'remembered' } },
      options,
    )
    expect(other()).toMatchObject({ ask: 'language' })
    remembered.clear()
    const forgetful = caller({ room: 'desk', menu: MENU }, options)
    forgetful({ language: 'es-es' })
    expect([forgetful(), remembered.size]).toEqual([expect.objectContaining({ ask: 'language' }), 0])
  })
})

describe('a number with codes', () => {
  test('asks for one and admits to its room, where callers do not hear themselves', async () => {
    const call = caller({ speaks: 'es-es', roomCode: true }, numberWithCode().options)
    expect(call()).toEqual({ ask: 'room-code', language: 'es-es' })
    expect(await call({ roomCode: '000000' })).toEqual({ ask: 'room-code', language: 'es-es', wrong: true })
    expect(await call({ roomCode: '482913' })).toEqual({
      room: 'desk',
      speaks: 'es-es',
      hears: 'es-es',
      echo: false,
    })
  })

  test('asks in the language that was chosen before', async () => {
    const call = caller({ roomCode: true, menu: { languages: ['en-us', 'fr-fr'] } }, numberWithCode().options)
    expect(call()).toMatchObject({ ask: 'language' })
    expect(call({ language: 'fr-fr' })).toEqual({ ask: 'room-code', language: 'fr-fr' })
    expect(await call({ language: 'fr-fr', roomCode: '482913' })).toMatchObject({
      room: 'desk',
      hears: 'fr-fr',
    })
  })

  test('limits guessing, even for correct codes', async () => {
    const call = caller({ roomCode: true }, numberWithCode().options)
    for (let times = 0; times < 5; times++)
      expect(await call({ roomCode: '111111' })).toMatchObject({ wrong: true })
    const goodbye = { refused: 'rejected', notice: { notice: 'goodbye', language: 'en-us' } }
    expect([await call({ roomCode: '482913' }), call()]).toEqual([goodbye, goodbye])
  })

  test('admits no one without codes', () => {
    expect(caller({ roomCode: true })({ roomCode: '482913' })).toMatchObject({ refused: 'rejected' })
  })
})

const CALL = {
  callId: 'CA1',
  accountId: 'AC1',
  from: '+15005550006',
  to: NUMBER,
  direction: 'inbound',
  answers: {},
}
const ALL = ['room', 'speaks', 'hears', 'original', 'name']
