import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { RememberedLanguages } from '../../../src/bridges/phone/remembered-languages.ts'
import type { Fleet } from '../../../src/core/model/fleet.ts'
import { FleetHub } from '../../support/fleet/fleet-hub.ts'
import { LogLines } from '../../support/log-lines.ts'
import { stateFolder } from '../../support/state.ts'

const ANA = '+15005550006'
const BEN = '+15005550007'
const DAY_MS = 86_400_000

function setup(days?: number) {
  const clock = new FakeClock()
  const wallClock = () => Date.UTC(2026, 0, 1) + clock.now()
  const options = { clock, wallClock, log: new LogLines(), days }
  const open = (fleet: Fleet, digest?: (caller: string) => string) => {
    const languages = new RememberedLanguages(fleet, { ...options, digest })
    onTestFinished(() => languages[Symbol.dispose]())
    return languages
  }
  return { clock, open, state: stateFolder(wallClock) }
}

test('the language that a caller chose last is known after a restart, in a file without the number', async () => {
  const { open, state } = setup()
  const first = open(state.alone())
  first.remember(ANA, 'es-es')
  first.remember(ANA, 'fr-fr')
  await settled()
  const second = open(state.alone())
  expect([await second.find(ANA), await second.find(BEN)]).toEqual(['fr-fr', undefined])
  const files = [state.file, `${state.file}-wal`].map(file => readFileSync(file, 'latin1')).join()
  expect(files).toContain('fr-fr')
  expect(files).not.toContain(ANA.slice(1))
  expect(await open(state.alone(), caller => `other ${caller}`).find(ANA)).toBeUndefined()
  expect(state.log.complaints).toEqual([])
})

test('a caller is forgotten after the configured days, in the file as well', async () => {
  const { clock, open, state } = setup(30)
  const languages = open(state.alone())
  languages.remember(ANA, 'es-es')
  await settled()
  clock.advance(20 * DAY_MS)
  languages.remember(BEN, 'en-us')
  await settled()
  clock.advance(10 * DAY_MS)
  expect([await languages.find(ANA), await languages.find(BEN)]).toEqual([undefined, 'en-us'])
  await settled()
  const { database } = state.open()
  expect(
    database.prepare("SELECT count(*) AS count FROM entries WHERE kind = 'caller languages'").get(),
  ).toEqual({ count: 1 })
})

test.each(['anonymous', '', 'sip:ana@example.com', 'client:ana', '+1'])(
  'a caller without a number is not remembered: %s',
  async from => {
    const { open, state } = setup()
    const languages = open(state.alone())
    languages.remember(from, 'es-es')
    await settled()
    expect(await languages.find(from)).toBeUndefined()
  },
)

test('goes on in memory while the disk is full', async () => {
  const { open, state } = setup()
  const languages = open(state.alone())
  state.full(true)
  languages.remember(ANA, 'es-es')
  await settled()
  expect(await languages.find(ANA)).toBe('es-es')
  expect(state.log.complaints.join()).toContain(state.file)
  expect(state.log.complaints.join()).not.toContain(ANA.slice(1))
})

test('in a fleet, the language of a caller is known at every node, and asked again while the fleet is unavailable', async () => {
  const { clock, open } = setup(2)
  const hub = new FleetHub()
  const [a, b] = [hub.join('a'), hub.join('b')]
  const [one, two] = [open(a), open(b)]
  one.remember(ANA, 'es-es')
  one.remember('anonymous', 'fr-fr')
  await settled()
  expect([await two.find(ANA), await two.find('anonymous')]).toEqual(['es-es', undefined])
  expect(hub.stored).not.toContain(ANA.slice(1))
  b.away = true
  expect(await two.find(ANA)).toBeUndefined()
  clock.advance(2 * DAY_MS)
  await settled()
  expect([await one.find(ANA), hub.stored]).toEqual([undefined, ''])
})

function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
