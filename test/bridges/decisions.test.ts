import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { FakeLeg } from '../../simulator/fakes/fake-leg.ts'
import { FakeTranslator } from '../../simulator/fakes/fake-translator.ts'
import type { TwilioBridgeOptions } from '../../src/bridges/phone/twilio/index.ts'
import { relayOptions } from '../../src/core/model/relay-settings.ts'
import { Relay } from '../../src/core/room/relay.ts'
import { browserServer } from '../support/browser/browser-bridge-harness.ts'
import { fieldsOf, Harness } from '../support/phone/twilio-bridge-harness.ts'
import { until } from '../support/until.ts'

const invalid: readonly (readonly [what: string, decision: () => unknown, reason: RegExp])[] = [
  ['undefined', () => undefined, /got undefined/],
  ['null', () => null, /got null/],
  ['a text', () => 'desk', /got desk|must be/],
  ['a promise of nothing', async () => {}, /got undefined/],
  ['no room', () => ({ speaks: 'en-us' }), /room must be the name of a room, got undefined/],
  ['a room that is no text', () => ({ room: 42 }), /room must be the name of a room, got 42/],
  [
    'a word instead of a language',
    () => ({ room: 'a', speaks: 'english' }),
    /speaks must be .*en-us.*, got "english"/,
  ],
  ['an empty language', () => ({ room: 'a', hears: '' }), /hears must be .*en-us.*, got ""/],
  [
    'a number instead of a language',
    async () => ({ room: 'a', hears: 42 }),
    /hears must be .*en-us.*, got 42/,
  ],
  ['a typo', () => ({ room: 'a', speak: 'en-us' }), /unknown option speak, did you mean speaks/],
  [
    'a callee without a language',
    () => ({ room: 'a', dial: { to: '+15005550009', callee: { hears: 'spanish' } } }),
    /dial\.callee\.hears must be .*, got "spanish"/,
  ],
  [
    'an error with a phone number',
    () => Promise.reject(new Error('nobody has +15005550006')),
    /nobody has \+?…/,
  ],
  [
    'an exception',
    () => {
      throw new TypeError('no database')
    },
    /no database/,
  ],
  ['no answer', () => new Promise(() => {}), /no result after 10 s/],
]

describe('a decision that is none', () => {
  test.each([
    ...invalid,
    ['an unknown question', () => ({ ask: 'colour' }), /ask must be/],
    ['an unknown refusal', () => ({ refused: 'later' }), /refused must be 'busy' or 'rejected', got "later"/],
  ] as typeof invalid)(
    '%s: the caller hears the apology, and the log has one line with the reason',
    async (_, decide, reason) => {
      const clock = new FakeClock()
      const invite = decide as TwilioBridgeOptions['invite']
      await using bridge = await Harness.open({ invite, clock })
      const answer = bridge.post('/twilio/voice', fieldsOf('CA1'))
      const waiting = setInterval(() => clock.advance(1_000), 5)
      const { status, body } = await answer.finally(() => clearInterval(waiting))
      expect([status, body]).toEqual([200, expect.stringContaining('can’t be translated')])
      expect(bridge.log.all.filter(({ level }) => level === 'error')).toMatchObject([
        { message: 'invite failed', fields: { callId: 'CA1', reason: expect.stringMatching(reason) } },
      ])
      expect(JSON.stringify(bridge.log.all)).not.toMatch(/1?500555000\d/)
    },
  )

  test.each(invalid)(
    '%s: a visitor is refused, and the log has one line with the reason',
    async (_, decide, reason) => {
      const server = await browserServer({ invite: decide as () => never })
      const talker = await server.talker()
      talker.send({ kind: 'hello', speaks: 'en-us', hears: 'en-us', alone: 'es-es' })
      const waiting = setInterval(() => server.clock.advance(1_000), 5)
      const refused = await talker.expect('refused').finally(() => clearInterval(waiting))
      expect(refused).toEqual({ kind: 'refused', why: 'busy' })
      expect(server.log.all.filter(({ level }) => level === 'error')).toMatchObject([
        { message: 'invite failed', fields: { reason: expect.stringMatching(reason) } },
      ])
      await server.close()
    },
  )
})

describe('languages are normalized where they enter', () => {
  const spellings = [
    ['en-US', 'en-us'],
    ['EN_us', 'en-us'],
    ['en', 'en-us'],
    [' pt ', 'pt-br'],
    ['zh-Hant-TW', 'zh-tw'],
  ] as const

  test.each(spellings)('%s from the decision on a call, a visitor and a leg is %s', async (written, id) => {
    const decision = { room: 'desk', speaks: written, hears: written, translatedVoices: { [written]: 'eva' } }
    const normalized = { speaks: id, hears: id, translatedVoices: { [id]: 'eva' } }
    await using bridge = await Harness.open({ invite: async () => decision })
    expect((await bridge.call('CA1')).admitted.invitation).toMatchObject(normalized)
    const server = await browserServer({ invite: async () => decision })
    await (await server.talker()).hello()
    const [visitor] = server.relay.rooms.get('desk')!.participants.values()
    expect(visitor?.state).toMatchObject(normalized)
    server.relay.admit(new FakeLeg('own'), decision)
    expect(server.relay.find('own')?.state).toMatchObject(normalized)
    expect(server.relay.find('own')?.change({ hears: 'FR' }).hears).toBe('fr-fr')
    await server.close()
  })

  test.each(spellings)('a page and its defaults can say %s', async (written, id) => {
    const server = await browserServer({
      languages: { speaks: written, hears: written },
      settings: { access: 'anyone' },
      offer: async () => ({
        languages: [{ id, name: 'It', heard: true, spoken: true, into: [id] }],
        voices: [],
      }),
    })
    const talker = await server.talker()
    await talker.hello({ speaks: written.trim(), hears: written.trim(), alone: written.trim() })
    const [room] = server.relay.rooms.values()
    const [visitor] = room!.participants.values()
    expect(visitor?.state).toMatchObject({ speaks: id, hears: id })
    const response = await server.server.inject('/talk/languages')
    expect(response.json()).toMatchObject({ defaults: { speaks: id, hears: id } })
    await server.close()
  })

  test.each(['english', '', 42, null, 'en-us '.repeat(20)])(
    'a leg with the language %j is not admitted',
    async value => {
      const clock = new FakeClock()
      await using relay = new Relay({ translator: new FakeTranslator(), options: relayOptions(), clock })
      const leg = new FakeLeg('anna')
      const admit = (invitation: object) => () => relay.admit(leg, invitation as never)
      expect(admit({ room: 'a', speaks: value })).toThrow(/speaks must be a language like en-us.*, got/)
      expect(admit({ room: 'a', hears: value })).toThrow(RangeError)
      expect(() => relayOptions({ followLanguages: [value as string] })).toThrow(/language like en-us/)
      expect([relay.legs, leg.over]).toEqual([0, false])
    },
  )
})

test('a visitor who leaves before the decision is not admitted', async () => {
  const decision = Promise.withResolvers<{ room: string }>()
  const server = await browserServer({ invite: () => decision.promise })
  const talker = await server.talker()
  talker.send({ kind: 'hello', speaks: 'en-us', hears: 'en-us', alone: 'es-es' })
  talker.socket.close()
  await until(() => talker.closed, 5_000, 'that the socket closes')
  await new Promise(resolve => setTimeout(resolve, 20))
  decision.resolve({ room: 'desk' })
  await new Promise(resolve => setTimeout(resolve, 5))
  expect(server.relay.legs).toBe(0)
  await server.close()
})
