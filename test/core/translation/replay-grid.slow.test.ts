import { expect, test } from 'vitest'
import { runOutage } from '../../support/faults/outage-run.ts'
import { figure, quantile } from '../../support/sources/figures.ts'

test('every drop point from 0 to 200 frames, every outage from 0 to 30 s in steps of half a second', context => {
  let runs = 0
  let lost = 0
  let unanswered = 0
  let worstRepeatedMs = 0
  const recovery: number[] = []
  for (let dropAtFrame = 0; dropAtFrame <= 200; dropAtFrame++)
    for (let outageMs = 0; outageMs <= 30_000; outageMs += 500) {
      const run = runOutage({ dropAtFrame, outageMs, seed: ++runs })
      lost += run.lost
      unanswered += run.unanswered
      worstRepeatedMs = Math.max(worstRepeatedMs, run.repeatedMs)
      if (outageMs > 0) recovery.push(run.recoveryMs)
    }
  figure(context, `frames not delivered to the service, ${runs} drops and outages`, '0', `${lost}`)
  figure(context, 'frames of speech without a complete translation, same runs', '0', `${unanswered}`)
  figure(
    context,
    'repeated to the listener per reconnection, same runs',
    '≤ 300 ms',
    `≤ ${worstRepeatedMs} ms`,
  )
  figure(
    context,
    'service back → first fragment, one session, same runs (manual clock, 20 ms to connect)',
    'p50 ≤ 250 ms, p99 ≤ 1 s',
    `p50 ${Math.round(quantile(recovery, 0.5))} ms, p99 ${Math.round(quantile(recovery, 0.99))} ms`,
  )
  expect([lost, unanswered]).toEqual([0, 0])
  expect(worstRepeatedMs).toBeLessThanOrEqual(300)
  expect(quantile(recovery, 0.99)).toBeLessThanOrEqual(1_000)
})
