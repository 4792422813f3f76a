import fc from 'fast-check'
import {
  type DialInput,
  type DialState,
  next,
  queued,
} from '../../../src/bridges/phone/outbound/outbound-call-state.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { must } from '../../fuzz/target.ts'
import type { Schedule } from './schedule.ts'

const RANK = ['queued', 'ringing', 'answered', 'in-room', 'over']
const error = new BridgeError('DIAL_FAILED', 'no')
const INPUTS: readonly DialInput[] = [
  { type: 'ringing' },
  { type: 'picked-up' },
  { type: 'stream', participant: 'a' },
  { type: 'stream', participant: 'b' },
  { type: 'person' },
  { type: 'machine' },
  { type: 'hang-up' },
  { type: 'unanswered' },
  { type: 'failed', error },
  ...(['completed', 'busy', 'no-answer', 'failed', 'canceled'] as const).map(status => ({
    type: 'final' as const,
    status,
  })),
]

const dial: Schedule = {
  name: 'a call that is dialed',
  runs: 10_000,
  property: fc.property(
    fc.boolean(),
    fc.array(fc.constantFrom(...INPUTS), { maxLength: 16, size: 'max' }),
    (detects, inputs) => {
      let state: DialState = queued(detects)
      let ruledOut = !detects
      for (const input of inputs) {
        const then = next(state, input)
        must(RANK.indexOf(then.status) >= RANK.indexOf(state.status), 'it never goes back')
        if (state.status === 'over') must(then === state, 'over is over')
        if (input.type === 'person') ruledOut = true
        if (then.status === 'in-room') must(ruledOut, 'no machine is admitted')
        if (then.status === 'over')
          must((then.error !== undefined) === (then.end === 'failed'), 'failures say why')
        state = then
      }
    },
  ),
}

export const DIAL_SCHEDULES: readonly Schedule[] = [dial]
