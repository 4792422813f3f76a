import { beforeAll, describe, expect, test } from 'vitest'
import { examine, type Row, STATEMENTS } from '../../../src/cli/conformance/conform.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { joined, pause, recording } from '../../support/engines/recordings.ts'
import { KEY, realService } from '../../support/service/real-service.ts'

/** Several sessions with speech, each followed by a wait for silence. */
const PATIENT_MS = 120_000

describe('the embedded service', () => {
  const service = realService({ maxSessions: 4 })
  let rows: Row[]

  beforeAll(async () => {
    rows = await examine({
      base: service.url,
      apiKey: KEY,
      source: 'en-us',
      target: 'es-es',
      text: 'Good morning, how are you?',
      speech: 'Buenos días',
      pcm: joined(recording(2), pause(1_200)),
      pace: 3,
      patienceMs: 10_000,
      quietMs: 700,
      clock: systemClock,
    })
  }, PATIENT_MS)

  test.each(STATEMENTS.map(({ id, text }) => [id, text]))('%s %s', id => {
    expect(rows.find(row => row.id === id)).toMatchObject({ status: 'holds' })
  })
})
