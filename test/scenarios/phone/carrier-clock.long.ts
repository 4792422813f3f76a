import { describe, expect, test } from 'vitest'
import { CLOCK_DIALECTS, callWithDrift, NO_LOSS } from '../../harness/phone/carrier-clock-harness.ts'

const HOURS = 4

describe.each(CLOCK_DIALECTS)('a leg of $name', dialect => {
  test.each([200, -200])('whose clock differs by %i ppm has no gap in four hours', ppm => {
    const { messages, counters, spreadMs } = callWithDrift(dialect, ppm, HOURS)
    console.info(`${dialect.name}, ${ppm} ppm: ${JSON.stringify(spreadMs)}`)
    expect(counters).toMatchObject({ ...NO_LOSS, mediaIn: messages })
    expect(spreadMs.heard).toBeLessThan(40)
    expect(spreadMs.queued).toBeLessThan(40)
  })
})
