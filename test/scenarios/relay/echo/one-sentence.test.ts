import { describe, expect, test } from 'vitest'
import { KINDS, oneSentence } from '../../../harness/relay/echo-cases.ts'

test('without protection one sentence is translated back and forth', async () => {
  const { understood } = await oneSentence('telephone', -30, 'off', { echoSuppression: false })
  expect(understood.length).toBeGreaterThan(2)
})

describe.each(Object.keys(KINDS))('by %s one sentence is translated once', kind => {
  test.each([-60, -30, -12, -6])('with an echo of %d dB', async db => {
    for (const original of ['off', 'low', 'duck'] as const) {
      const { understood, utterances } = await oneSentence(kind, db, original)
      expect(understood, original).toEqual([expect.objectContaining({ from: 'en-us', to: 'es-es' })])
      expect(utterances.filter(({ stage }) => stage === 'begun')).toHaveLength(1)
    }
  })
})
