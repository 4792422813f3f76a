import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { ThreadUse } from '../../../src/service/engines/thread-budget.ts'
import { LoadMonitor, SessionSlots } from '../../../src/service/server/capacity.ts'
import { ServiceError } from '../../../src/service/server/errors.ts'
import { BacklogMonitor } from '../../../src/service/server/session/speech-intake.ts'

/** A workload with a bound of 1 s, and a session in it. */
function loaded() {
  const clock = new FakeClock(1_000)
  const threads = { share: 0 }
  const workload = new LoadMonitor({ clock, admitLagMs: 1_000, threads })
  const session = { behindMs: 0, judge() {} }
  const followed = workload.follow(session)
  const admission = new SessionSlots(8, workload)
  return { clock, threads, workload, session, followed, admission }
}

/** Returns the error thrown by `refused`. */
function reason(refused: () => void): ServiceError {
  try {
    refused()
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error('nothing was rejected')
}

test('admits a session while the others keep up', () => {
  const { session, admission } = loaded()
  session.behindMs = 1_000
  admission.assertRoom()
})

test('rejects sessions while another is lagging, and shortly afterwards', () => {
  const { clock, session, admission } = loaded()
  session.behindMs = 1_400
  clock.advance(200)
  const { specific, retryAfterMs, message } = reason(() => admission.assertRoom())
  expect([specific, retryAfterMs]).toEqual(['service_behind', 5_000])
  expect(message).toMatch(/1400 ms behind.*up to 1000 ms.*try again in 5 s/)
  session.behindMs = 0
  clock.advance(3_000)
  expect(reason(() => admission.assertRoom()).retryAfterMs).toBe(2_000)
  clock.advance(2_000)
  admission.assertRoom()
})

test("rejects sessions while the recognizer's threads are busy", () => {
  const { threads, admission } = loaded()
  threads.share = 0.95
  expect(reason(() => admission.assertRoom()).message).toContain('95 % busy')
  threads.share = 0.85
  admission.assertRoom()
})

test('forgets an ended session, and stops its timer without sessions', () => {
  const { clock, workload, session, followed } = loaded()
  session.behindMs = 5_000
  expect(workload.behindMs).toBe(5_000)
  expect(clock.pending).toBe(1)
  followed[Symbol.dispose]()
  expect([workload.behindMs, clock.pending]).toEqual([0, 0])
})

test('files wait only as long as live speech does', async () => {
  const { clock, workload, session } = loaded()
  await workload.calm(new AbortController().signal)
  session.behindMs = 250
  let done = false
  const calm = workload.calm(new AbortController().signal).then(() => {
    done = true
  })
  clock.advance(1_000)
  await Promise.resolve()
  expect(done).toBe(false)
  session.behindMs = 150
  await new Promise(setImmediate)
  clock.advance(200)
  await calm
  session.behindMs = 250
  const controller = new AbortController()
  const given = workload.calm(controller.signal)
  controller.abort(new Error('gone'))
  clock.advance(200)
  await expect(given).rejects.toThrow('gone')
})

test('warns a session once that it is lagging, again after it has caught up, and ends it above the limit', () => {
  const told: string[] = []
  const outlet = {
    emit() {},
    fault: ({ specific }: ServiceError) => void told.push(specific),
    room: async () => {},
  }
  let lateMs = 0
  const limits = { warnLagMs: 2_000, endLagMs: 15_000 }
  const pace = new BacklogMonitor({ outlet, limits, behind: () => 0, late: () => lateMs })
  const after = (ms: number) => {
    lateMs = ms
    pace.judge()
    return told.length
  }
  expect([2_000, 2_001, 5_000, 1_500, 3_000, 999, 2_500].map(after)).toEqual([0, 1, 1, 1, 1, 1, 2])
  after(15_001)
  expect(told).toEqual(['falling_behind', 'falling_behind', 'too_far_behind'])
})

test('measures the load of the threads in the last seconds', () => {
  const clock = new FakeClock()
  const use = new ThreadUse(clock, 4)
  expect(use.share).toBe(0)
  use.began()
  use.began()
  clock.advance(30_000)
  expect(use.share).toBeCloseTo(0.5, 2)
  for (let n = 0; n < 4; n++) use.began()
  clock.advance(30_000)
  expect(use.share).toBeCloseTo(1, 2)
  for (let n = 0; n < 6; n++) use.ended()
  clock.advance(3_000)
  expect(use.share).toBeCloseTo(1 / Math.E, 2)
  clock.advance(30_000)
  expect(use.share).toBeCloseTo(0, 2)
})
