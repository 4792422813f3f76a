import fc from 'fast-check'
import { next as nextCall, type TwoPartyCallState } from '../../../src/core/calls/two-party-call-state.ts'
import { KEY_ACTIONS, keyTable, NO_KEYS, press } from '../../../src/core/model/key-commands.ts'
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

const KEYS = keyTable(KEY_ACTIONS)

const keys: Schedule = {
  name: 'keys of a phone',
  runs: 10_000,
  property: fc.property(
    fc.array(fc.tuple(fc.constantFrom(...'0123456789*#ABCD'), fc.constantFrom(20, 500, 3_000, 3_001)), {
      maxLength: 30,
      size: 'max',
    }),
    presses => {
      let state = NO_KEYS
      let now = 1_723.456
      let recent = ''
      for (const [key, afterMs] of presses) {
        now += afterMs
        recent = (afterMs > 3_000 ? '' : recent) + key
        const step = press(KEYS, state, key, now, 3_000)
        state = step.state
        must(state.typed.length <= 2, 'the kept keys start a command')
        // A command consists of the last keys, all of them in time.
        if (step.command)
          must(
            [...KEYS.keys()].some(each => recent.endsWith(each)),
            'it was pressed',
          )
        if (step.command)
          must(
            KEY_ACTIONS.some(action => action === step.command?.action || 'choice' in step.command!),
            'a command',
          )
      }
    },
  ),
}

const present = fc.integer({ min: 0, max: 3 })
const RANK = { returning: 0, calling: 1, waiting: 2, talking: 3, parting: 4, over: 5 }

const switchboard: Schedule = {
  name: 'a call between two',
  runs: 10_000,
  property: fc.property(
    fc.array(
      fc.oneof(
        fc.constantFrom(
          { type: 'answered' as const },
          { type: 'said' as const },
          { type: 'time-up' as const },
        ),
        fc.record({
          type: fc.constant('unanswered' as const),
          why: fc.constant('busy' as const),
          stay: fc.boolean(),
          present,
        }),
        fc.record({
          type: fc.constant('left' as const),
          who: fc.constantFrom('caller' as const, 'callee' as const, 'guest' as const),
          present,
        }),
        fc.record({ type: fc.constant('joined' as const), present }),
        fc.record({ type: fc.constant('machine' as const), present }),
        fc.record({
          type: fc.constant('not-returned' as const),
          missing: fc.constantFrom('caller' as const, 'callee' as const),
        }),
      ),
      { maxLength: 16, size: 'max' },
    ),
    fc.constantFrom('calling' as const, 'returning' as const),
    (inputs, begins) => {
      let state: TwoPartyCallState = { status: begins }
      for (const input of inputs) {
        const then = nextCall(state, input)
        must(RANK[then.status] >= RANK[state.status], 'it never goes back')
        if (state.status === 'over') must(then === state, 'over is over')
        if (state.status === 'parting' && then.status === 'parting')
          must(then.farewell === state.farewell, 'there is one farewell')
        // A call ends when its last participant leaves.
        if ('present' in input && input.present === 0 && input.type === 'left')
          must(then.status === 'over', 'a call without participants is over')
        state = then
      }
    },
  ),
}

export const CORE_SCHEDULES: readonly Schedule[] = [marks, keys, switchboard]
