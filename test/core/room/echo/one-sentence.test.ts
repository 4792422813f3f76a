import { describe, expect, test } from 'vitest'
import {
  ECHO_DB,
  expectOneTranslation,
  KINDS,
  ORIGINALS,
  oneSentence,
} from '../../../support/relay/echo-cases.ts'

test('without protection one sentence is translated back and forth', async () => {
  const { understood } = await oneSentence('telephone', -30, 'off', { echoSuppression: false })
  expect(understood.length).toBeGreaterThan(2)
})

// Every pair of values occurs; one-sentence.long.ts tries all combinations.
describe.each(Object.keys(KINDS).map((kind, n) => ({ kind, n })))(
  'by $kind one sentence is translated once',
  ({ kind, n }) => {
    const cases = ECHO_DB.map((db, d) => ({ db, original: ORIGINALS[(n + d) % ORIGINALS.length]! }))
    test.each(cases)('with an echo of $db dB, original: $original', async ({ db, original }) => {
      await expectOneTranslation(kind, db, original)
    })
  },
)
