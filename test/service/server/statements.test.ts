import { expect, test } from 'vitest'
import { tone } from '../../../simulator/index.ts'
import { examine, STATEMENTS } from '../../../src/cli/conformance/conform.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'
import { quickEngines } from '../../support/service/instant-recognizer.ts'

/** About what engines do: the scripted ones have one voice, and translate into capitals. */
const OF_ENGINES = ['4.2-2', '4.4-2', '4.4-4']

// The list of `dragoman conformance`; `test/cli/conformance` runs it with the installed engines, and against services that
// break one statement each.
test('every statement of the interface holds for the embedded service', async () => {
  const { url } = await fakeService({ maxSessions: 4 }, { engines: quickEngines().engines })
  const rows = await examine({
    ...{
      base: url,
      apiKey: KEY,
      source: 'en-us',
      target: 'es-es',
      text: 'good morning',
      speech: 'buenos días',
    },
    ...{ pcm: tone(440, 900), pace: 0, patienceMs: 5_000, quietMs: 60, clock: systemClock },
  })
  expect(rows).toHaveLength(STATEMENTS.length)
  const others = rows.filter(({ id }) => !OF_ENGINES.includes(id))
  expect(others.filter(({ status }) => status !== 'holds')).toEqual([])
})
