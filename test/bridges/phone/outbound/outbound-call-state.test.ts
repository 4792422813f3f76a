import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type DialInput,
  type DialState,
  next,
  queued,
} from '../../../../src/bridges/phone/outbound/outbound-call-state.ts'
import { BridgeError } from '../../../../src/common/errors.ts'

const error = new BridgeError('DIAL_FAILED', 'no')
const final = (status: 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled'): DialInput => ({
  type: 'final',
  status,
})
const stream = (participant: string): DialInput => ({ type: 'stream', participant })
const through = (detects: boolean, ...inputs: DialInput[]) => inputs.reduce(next, queued(detects))
const RINGING: DialInput = { type: 'ringing' }
const PICKED_UP: DialInput = { type: 'picked-up' }
const PERSON: DialInput = { type: 'person' }
const MACHINE: DialInput = { type: 'machine' }
const HANG_UP: DialInput = { type: 'hang-up' }

describe('an outbound call', () => {
  it('rings, is answered, and joins the room', () => {
    expect(through(false, RINGING)).toEqual({ status: 'ringing', person: true })
    expect(through(false, RINGING, PICKED_UP)).toEqual({ status: 'answered', person: true })
    expect(through(false, RINGING, PICKED_UP, stream('a'))).toEqual({ status: 'in-room', participant: 'a' })
    expect(through(false, stream('a'), stream('b'))).toEqual({ status: 'in-room', participant: 'b' })
  })

  it('waits for confirmation of a person', () => {
    const held = through(true, RINGING, PICKED_UP, stream('a'))
    expect(held).toEqual({ status: 'answered', person: false, participant: 'a' })
    expect(next(held, PERSON)).toEqual({ status: 'in-room', participant: 'a' })
    expect(next(held, stream('b'))).toEqual({ status: 'answered', person: false, participant: 'b' })
    expect(through(true, PERSON, stream('a'))).toEqual({ status: 'in-room', participant: 'a' })
  })

  it.each([
    ['voicemail', [RINGING, PICKED_UP, stream('a'), MACHINE]],
    ['voicemail', [RINGING, PICKED_UP, stream('a'), PERSON, MACHINE]],
    ['voicemail', [MACHINE]],
    ['busy', [RINGING, final('busy')]],
    ['no-answer', [RINGING, final('no-answer')]],
    ['no-answer', [RINGING, PICKED_UP, final('completed')]],
    ['no-answer', [RINGING, PICKED_UP, stream('a'), final('completed')]],
    ['no-answer', [RINGING, { type: 'unanswered' }]],
    ['canceled', [RINGING, final('canceled')]],
    ['canceled', [HANG_UP]],
    ['canceled', [PICKED_UP, stream('a'), HANG_UP]],
    ['failed', [RINGING, final('failed')]],
    ['failed', [{ type: 'failed', error }]],
    ['hangup', [stream('a'), PERSON, final('completed')]],
    ['hangup', [stream('a'), PERSON, final('busy')]],
    ['hangup', [stream('a'), PERSON, HANG_UP]],
  ] as [string, DialInput[]][])('ends as %s', (end, inputs) => {
    expect(through(true, ...inputs)).toMatchObject({ status: 'over', end })
  })

  it('never goes back or admits a machine for any order of inputs, and repeated inputs change nothing', () => {
    const inputs = fc.constantFrom<DialInput>(
      RINGING,
      PICKED_UP,
      stream('a'),
      stream('b'),
      PERSON,
      MACHINE,
      HANG_UP,
      { type: 'unanswered' },
      { type: 'failed', error },
      final('completed'),
      final('busy'),
      final('no-answer'),
      final('failed'),
      final('canceled'),
    )
    const rank = ({ status }: DialState) =>
      ['queued', 'ringing', 'answered', 'in-room', 'over'].indexOf(status)
    fc.assert(
      fc.property(fc.boolean(), fc.array(inputs, { maxLength: 12 }), (detects, list) => {
        let state = queued(detects)
        let ruledOut = !detects
        for (const input of list) {
          const then = next(state, input)
          expect(rank(then)).toBeGreaterThanOrEqual(rank(state))
          if (state.status === 'over') expect(then).toBe(state)
          expect(next(then, input)).toEqual(then)
          ruledOut ||= input.type === 'person'
          if (then.status === 'in-room') expect(ruledOut).toBe(true)
          if (then.status === 'over') expect(then.error !== undefined).toBe(then.end === 'failed')
          state = then
        }
      }),
    )
  })
})
