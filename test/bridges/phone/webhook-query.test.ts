import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type QueryFault, webhookQuery } from '../../../src/bridges/phone/number-routing.ts'

function slips(query: Record<string, string>): QueryFault[] {
  const faults: QueryFault[] = []
  webhookQuery(query, fault => faults.push(fault))
  return faults
}

test('accepts valid parameters without a report', () => {
  const query = { speaks: 'none', hears: 'es-es', room: 'desk', original: 'low', name: 'Ida' }
  expect(webhookQuery(query)).toEqual(query)
  expect(slips(query)).toEqual([])
  expect(slips({ speaks: '', room: '' })).toEqual([])
})

test.each<[Record<string, string>, Partial<QueryFault>]>([
  [
    { speaks: 'English' },
    { parameter: 'speaks', found: '"English"', allowed: 'a language like en-us, or none' },
  ],
  [{ hears: 'en-usa' }, { parameter: 'hears', found: '"en-usa"', allowed: 'a language like en-us' }],
  [{ hears: 'none' }, { parameter: 'hears', found: '"none"' }],
  [{ original: 'loud' }, { parameter: 'original', found: '"loud"', allowed: 'off, low, duck' }],
  [{ room: 'x'.repeat(65) }, { parameter: 'room', found: 'a text of 65 characters' }],
  [{ name: 'A\u001b[2J' }, { parameter: 'name', found: 'a text of 5 characters' }],
  [{ speeks: 'fr-fr' }, { parameter: 'speeks', allowed: expect.stringContaining('did you mean speaks?') }],
  [{ Hears: 'fr-fr' }, { parameter: 'Hears', allowed: expect.stringContaining('did you mean hears?') }],
])('reports %j once, with the allowed values', (query, fault) => {
  expect(slips(query)).toEqual([expect.objectContaining(fault)])
  expect(webhookQuery(query)).toEqual({})
})

test('ignores parameters that belong to others', () => {
  expect(
    slips({ 'dragoman-resumes': '1', bodySHA256: 'abc', utm_source: 'x', tenant: '7', id: '5' }),
  ).toEqual([])
})

test('never shows phone numbers or control characters', () => {
  expect(
    JSON.stringify(slips({ speaks: '+15551234567', hears: 'call +1 555', original: '15551234567' })),
  ).not.toMatch(/555/)
  const text = fc.string({ unit: 'binary' })
  const name = fc.oneof(
    fc.constantFrom('speaks', 'hears', 'room', 'original', 'name', 'speek', '__proto__'),
    text,
  )
  fc.assert(
    fc.property(fc.dictionary(name, text), query => {
      for (const { parameter, found } of slips(query))
        expect(`${parameter}${found}`).not.toMatch(/\p{Cc}|\d{5}/u)
    }),
  )
})
