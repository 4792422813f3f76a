import fc from 'fast-check'
import { type MarkLost, PlayoutMarks } from '../../../src/core/playout/mark-tracker.ts'
import { must } from '../../fuzz/target.ts'
import type { Schedule } from './schedule.ts'

const markStep = fc.oneof(
  fc.record({ do: fc.constant('add' as const) }),
  fc.record({ do: fc.constant('take' as const), inMs: fc.nat(400) }),
  fc.record({ do: fc.constant('confirm' as const), which: fc.nat(12) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(20, 5_000, 9_999, 10_000) }),
  fc.record({
    do: fc.constant('clear' as const),
    why: fc.constantFrom('flushed' as const, 'leg-gone' as const),
  }),
)

const marks: Schedule = {
  name: 'marks after the played audio',
  runs: 10_000,
  property: fc.property(fc.array(markStep, { maxLength: 60, size: 'max' }), steps => {
    const real = new PlayoutMarks()
    /** Result of each mark, by number, and the deadline of its playback. */
    const ends: (string | undefined)[] = []
    const playedBy: (number | undefined)[] = []
    let now = 1_723.456
    let pending: number[] = []
    const told = (n: number, end: string) => {
      must(ends[n] === undefined, 'each mark has one end')
      ends[n] = end
    }
    const open = () => ends.flatMap((end, n) => (end === undefined ? [n] : []))
    for (const step of steps) {
      switch (step.do) {
        case 'add': {
          const n = ends.push(undefined) - 1
          playedBy.push(undefined)
          pending.push(n)
          real.add(
            `m${n}`,
            () => told(n, 'heard'),
            (why: MarkLost) => told(n, why),
          )
          break
        }
        case 'take':
          must(
            real.take(now + step.inMs).join() === pending.map(n => `m${n}`).join(),
            'those after the message',
          )
          for (const n of pending) playedBy[n] = now + step.inMs
          pending = []
          break
        case 'confirm': {
          const known = ends[step.which]
          real.confirm(`m${step.which}`)
          if (step.which < ends.length) must(ends[step.which] === (known ?? 'heard'), 'it was played')
          break
        }
        case 'wait': {
          now += step.ms
          const before = open()
          real.check(now)
          for (const n of before) {
            const due = playedBy[n] !== undefined && now - playedBy[n] >= 10_000
            if (ends[n] !== undefined)
              must(ends[n] === 'overdue' && due, 'only long overdue marks are dropped')
            // In playing order, with nothing overdue at the front.
            else if (n === before[0]) must(!due, 'overdue marks are dropped')
          }
          break
        }
        default: {
          const before = open()
          real.clear(step.why)
          pending = []
          for (const n of before) must(ends[n] === step.why, 'no mark returns')
        }
      }
      must(real.unconfirmed === open().length, 'unconfirmed matches the open marks')
      must(real.pending === pending.length > 0, 'pending matches the marks for the next message')
    }
  }),
}

export const MARK_SCHEDULES: readonly Schedule[] = [marks]
