import { describe, expect, it } from 'vitest'
import { CallHistory } from '../../../../src/bridges/phone/history/call-history.ts'
import { CallRecords } from '../../../../src/bridges/phone/history/call-records.ts'
import { MemoryTables } from '../../../../src/core/model/shared-state.ts'

const YEAR_MS = 365 * 86_400_000

/** Records of a process, which the next one reads. */
function setup() {
  let now = 1_700_000_000_000
  const wallClock = () => now
  const records = new CallRecords(new MemoryTables(), wallClock)
  const process = () => new CallHistory('twilio', records)
  const pass = (ms: number) => {
    now += ms
  }
  return { process, pass }
}

describe('the history of calls', () => {
  it('accepts the first request of a call, its repetition within seconds, and its menus', async () => {
    const { process, pass } = setup()
    expect(await process().begins('CA1')).toBe(true)
    pass(200_000)
    expect(await process().begins('CA1')).toBe(true)
    process().instructed('CA1', 1)
    pass(20_000)
    expect(await process().begins('CA1')).toBe(true)
    pass(11_000)
    expect(await process().begins('CA1')).toBe(false)
    expect(await process().begins('CA2')).toBe(true)
    pass(301_000)
    expect(await process().begins('CA2')).toBe(false)
  })

  it.each([0, 5_000, 600_000, YEAR_MS, -3_600_000])(
    'refuses every request of an ended call %i ms later, and the first one of a call that had a stream',
    async ms => {
      const { process, pass } = setup()
      for (const call of ['ended', 'streamed']) {
        await process().begins(call)
        process().instructed(call, 1)
        process().started(call, 1)
      }
      process().ended('ended')
      process().ended('never begun')
      pass(ms)
      const ended = [
        process().begins('ended'),
        process().continues('ended', 7),
        process().begins('never begun'),
      ]
      expect(await Promise.all(ended)).toEqual([false, false, false])
      expect(await process().begins('streamed')).toBe(false)
      // Its stream was lost with the process: the carrier asks for the next one.
      expect(await process().continues('streamed', 1)).toBe(true)
    },
  )

  it('continues a call once after each stream', async () => {
    const { process, pass } = setup()
    const history = process()
    await history.begins('CA1')
    for (const attempt of [1, 2]) {
      history.instructed('CA1', attempt)
      history.started('CA1', attempt)
    }
    pass(7_200_000)
    expect(await process().continues('CA1', 1)).toBe(false)
    expect(await process().continues('CA1', undefined)).toBe(false)
    expect(await process().continues('CA1', 2)).toBe(true)
    process().instructed('CA1', 3)
    // Repeated, because the answer was lost.
    expect(await process().continues('CA1', 2)).toBe(true)
    pass(31_000)
    expect(await process().continues('CA1', 2)).toBe(false)
  })
})
