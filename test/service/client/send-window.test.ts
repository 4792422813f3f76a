import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ServiceClientError } from '../../../src/service/client/errors.ts'
import { SendWindow } from '../../../src/service/client/flow-control.ts'

const REFUSED = ServiceClientError.found('refused/not_taken', 'no')

test('never sends more than fits, keeps the order, and reports every rejection once', async () => {
  const plan = fc.record({
    size: fc.integer({ min: 1, max: 5 }),
    refused: fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }),
    awaited: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(plan, async ({ size, refused, awaited }) => {
      const emitted: number[] = []
      const window: SendWindow<number> = new SendWindow({
        size,
        maxWaiting: 100,
        emit: (item, sent) => {
          emitted.push(item)
          expect(window.flying).toBeLessThanOrEqual(size)
          setImmediate(() => window.acked(sent, refused[item] ? REFUSED : undefined))
        },
      })
      window.open()
      let told = 0
      const note = (error: unknown) => {
        expect(error).toBeInstanceOf(ServiceClientError)
        told++
      }
      const sends = refused.map((_, item) => async () => window.send(item).catch(note))
      if (awaited) for (const send of sends) await send()
      else await Promise.all(sends.map(send => send()))
      await window.drained().catch(note)
      expect(emitted).toEqual([...emitted].sort((a, b) => a - b))
      const refusals = emitted.filter(item => refused[item]).length
      // The first rejection in a window is reported for all of them.
      expect(told > 0).toBe(refusals > 0)
      expect(told).toBeLessThanOrEqual(refusals)
      if (size === 1) expect(told).toBe(refusals)
    }),
    { numRuns: 200 },
  )
})

test('sends only after it opens, and rejects everything at the end', async () => {
  const emitted: string[] = []
  const window = new SendWindow<string>({ size: 1, maxWaiting: 9, emit: item => emitted.push(item) })
  const first = window.send('one')
  const second = window.send('two')
  expect(emitted).toEqual([])
  window.open()
  expect(emitted).toEqual(['one'])
  const drained = window.drained()
  const over = ServiceClientError.found('closed/session_ended', 'over')
  window.end(over)
  for (const each of [first, second, drained, window.send('three'), window.drained()])
    await expect(each).rejects.toBe(over)
  window.acked(1)
  expect(() => new SendWindow({ size: 0, maxWaiting: 1, emit: () => {} })).toThrow(RangeError)
})
