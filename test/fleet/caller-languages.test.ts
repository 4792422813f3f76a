import { expect, onTestFinished, test } from 'vitest'
import { RememberedLanguages } from '../../src/bridges/phone/remembered-languages.ts'
import { FakeClock } from '../../src/simulator/fakes/fake-clock.ts'
import { FleetHub } from '../support/fleet/fleet-hub.ts'
import { LogLines } from '../support/log-lines.ts'

const ANA = '+34600111222'
const DAY_MS = 86_400_000

test('the language of a caller is known at every node for some days, without the number', async () => {
  const hub = new FleetHub()
  const clock = new FakeClock()
  const options = { clock, wallClock: () => Date.UTC(2026, 0, 1) + clock.now(), log: new LogLines(), days: 2 }
  const [a, b] = [hub.join('a'), hub.join('b')]
  const [one, two] = [new RememberedLanguages(a, options), new RememberedLanguages(b, options)]
  onTestFinished(() => {
    one[Symbol.dispose]()
    two[Symbol.dispose]()
  })
  one.remember(ANA, 'es-es')
  one.remember('anonymous', 'fr-fr')
  await settled()
  expect([await two.find(ANA), await two.find('anonymous')]).toEqual(['es-es', undefined])
  expect(hub.stored).not.toContain('600111222')
  // The caller is asked again.
  b.away = true
  expect(await two.find(ANA)).toBeUndefined()
  clock.advance(2 * DAY_MS)
  await settled()
  expect([await one.find(ANA), hub.stored]).toEqual([undefined, ''])
})

function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
