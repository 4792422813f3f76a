import { expect, test } from 'vitest'
import { MissingPeople } from '../../../../src/bridges/browser/page/missing-people.ts'
import type { PartyView } from '../../../../src/bridges/browser/protocol.ts'

const party = (id: string, name: string | undefined, more: Partial<PartyView> = {}): PartyView => ({
  ...{ id, channel: 'browser', muted: false, you: false, absent: false },
  ...(name === undefined ? {} : { name }),
  ...more,
})
const ANNA = party('browser-1', 'Anna', { you: true })
const BOB = party('browser-2', 'Bob')
const MAMA = party('phone-1', 'Mama', { channel: 'twilio' })

/** What a page shows about the others. */
const others = (people: MissingPeople, now: number) =>
  people
    .shown(now)
    .flatMap(({ you, name, absent, missing }) => (you ? [] : [[name, absent, missing ?? false]]))

test('after a restart, whoever is missing is reconnecting, and after a while has not come back', () => {
  const people = new MissingPeople()
  people.welcomed('a', [ANNA, BOB, MAMA], 0)
  people.welcomed('b', [ANNA], 1_000)
  expect(others(people, 2_000)).toEqual([
    ['Bob', true, false],
    ['Mama', true, false],
  ])
  people.changed([ANNA, BOB])
  expect(others(people, 12_000)).toEqual([
    ['Bob', false, false],
    ['Mama', true, true],
  ])
  expect(people.notBack(12_000).map(({ name }) => name)).toEqual(['Mama'])
  // By phone again, as another participant.
  people.changed([ANNA, BOB, { ...MAMA, id: 'phone-7' }])
  expect(people.waiting).toBe(false)
})

test('whoever leaves while the server runs has left, and is not missing', () => {
  const people = new MissingPeople()
  people.welcomed('a', [ANNA, BOB], 0)
  people.changed([ANNA])
  people.welcomed('a', [ANNA], 1_000)
  expect(others(people, 60_000)).toEqual([])
})

test('another person with the id of the missing one is another person; voice channels return by themselves', () => {
  const people = new MissingPeople()
  people.welcomed('a', [ANNA, BOB, party('discord-1', undefined, { channel: 'discord' })], 0)
  people.welcomed('b', [ANNA, party('browser-2', 'Carla')], 1_000)
  expect(people.notBack(20_000).map(({ name }) => name)).toEqual(['Bob'])
})
