import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calleeOf, passOf } from '../../../src/bridges/phone/resumption.ts'
import type { Invitation } from '../../../src/core/model/invitation.ts'

const language = fc.constantFrom('en-us', 'es-419', 'deu-de')
const text = (maxLength: number) => fc.string({ unit: 'binary', maxLength })
/** All fields of an invitation; `Required` detects missing ones. */
const all: { [K in keyof Required<Invitation>]: fc.Arbitrary<Required<Invitation>[K]> } = {
  room: fc.string({ unit: 'binary', minLength: 1, maxLength: 128 }),
  speaks: language,
  hears: language,
  voice: text(400),
  translatedVoices: fc.constant({ 'en-us': 'a voice' }),
  original: fc.constantFrom('off', 'low', 'duck'),
  interrupt: fc.constantFrom('keep', 'clear'),
  name: text(400),
  echo: fc.boolean(),
  sharedSpace: text(400),
  receives: fc.constantFrom('audio', 'captions', 'none'),
  called: fc.constant(true as const),
  elapsedMs: fc.nat(),
  dial: fc.constant({ to: '+34600111222', callee: {} }),
}
const invitation = fc.record(all, { requiredKeys: ['room'] }) as fc.Arbitrary<Invitation>

describe('the pass of a called participant', () => {
  test('is accepted by the next server, without fields that do not fit and without a number', () => {
    fc.assert(
      fc.property(invitation, asked => {
        const pass = passOf(asked)
        const { dial: _, elapsedMs: _elapsed, translatedVoices: _voices, ...carried } = asked
        const { name, voice, sharedSpace, ...rest } = carried
        const guest = calleeOf(pass)
        expect(guest).toMatchObject(rest)
        expect(pass).not.toContain('600111222')
        for (const [key, value] of Object.entries({ name, voice, sharedSpace }))
          if (value !== undefined && value.length <= 100) expect(guest).toHaveProperty(key, value)
      }),
      { numRuns: 500 },
    )
  })

  test('contains the voice they hear', () => {
    const asked = { room: 'r', hears: 'es-es', voice: 'piper/es_ES-davefx', called: true } as const
    expect(calleeOf(passOf(asked))).toEqual(asked)
  })

  test('of a newer server is accepted without unknown fields', () => {
    expect(calleeOf('{"room":"r","mood":"fine"}')).toEqual({ room: 'r' })
  })

  test.each([
    undefined,
    '',
    'x',
    '{}',
    '[]',
    '{"room":""}',
    '{"room":"r","hears":"Spanish"}',
    `{"room":"${'r'.repeat(300)}"}`,
  ])('is rejected: %s', pass => {
    expect(calleeOf(pass)).toBeUndefined()
  })
})
