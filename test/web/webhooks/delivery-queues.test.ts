import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DeliveryQueues, type Job } from '../../../src/web/webhooks/receiver.ts'

test('under any conditions, serves each room in order, one delivery at a time, and accounts for every event', () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('push' as const), room: fc.constantFrom('a', 'b', 'c') }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constantFrom('done' as const, 'release' as const), at: fc.nat(5) }),
    },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 6 }), (steps, most) => {
      const lanes = new DeliveryQueues(most)
      const held: Job[] = []
      const lastDone = new Map<string, number>()
      const counts = { pushed: 0, dropped: 0, done: 0 }
      for (const each of steps) {
        if (each.do === 'push') {
          const id = String(++counts.pushed)
          if (lanes.push({ id, type: 'dtmf', room: each.room, body: '' })) counts.dropped++
        } else if (each.do === 'take') {
          const job = lanes.take()
          if (!job) continue
          expect(held.some(other => other.event.room === job.event.room)).toBe(false)
          expect(Number(job.event.id)).toBeGreaterThan(lastDone.get(job.event.room) ?? 0)
          held.push(job)
        } else {
          const [job] = held.splice(each.at, 1)
          if (!job) continue
          lanes[each.do](job)
          if (each.do === 'release') continue
          counts.done++
          lastDone.set(job.event.room, Number(job.event.id))
        }
        expect(lanes.size).toBe(counts.pushed - counts.dropped - counts.done)
        expect(lanes.size).toBeLessThanOrEqual(most)
      }
    }),
    { seed: 31, numRuns: 500 },
  )
})
