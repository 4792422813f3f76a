import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CallInput, next, type TwoPartyCallState } from '../../../src/core/calls/two-party-call-state.ts'

const CALLING: TwoPartyCallState = { status: 'calling' }
const RETURNING: TwoPartyCallState = { status: 'returning' }
const through = (...inputs: CallInput[]) => inputs.reduce(next, CALLING)
const ANSWERED: CallInput = { type: 'answered' }
const SAID: CallInput = { type: 'said' }
const TIME_UP: CallInput = { type: 'time-up' }
const busy = (present: number, stay = false): CallInput => ({
  type: 'unanswered',
  why: 'busy',
  stay,
  present,
})
const left = (who: 'caller' | 'callee' | 'guest', present: number): CallInput => ({
  type: 'left',
  who,
  present,
})
const joined = (present: number): CallInput => ({ type: 'joined', present })
const machine = (present: number): CallInput => ({ type: 'machine', present })
const missing = (who: 'caller' | 'callee'): CallInput => ({ type: 'not-returned', missing: who })
const parting = (farewell: string) => ({ status: 'parting', farewell })

describe('a call between two participants', () => {
  it.each<[string, CallInput[], unknown]>([
    ['is answered', [joined(2), ANSWERED], { status: 'talking' }],
    ['is over when the caller leaves during ringing', [left('caller', 0)], { status: 'over' }],
    ['ends when the callee leaves', [ANSWERED, left('callee', 1)], parting('other-left')],
    ['ends when the caller leaves', [ANSWERED, left('caller', 1)], parting('other-left')],
    ['continues for two remaining participants', [ANSWERED, left('caller', 2)], { status: 'talking' }],
    [
      'ends when one of those remains',
      [ANSWERED, left('caller', 2), left('guest', 1)],
      parting('other-left'),
    ],
    ['is over when both leave at once', [ANSWERED, left('caller', 1), left('callee', 0)], { status: 'over' }],
    ['is over after the farewell', [ANSWERED, left('caller', 1), SAID], { status: 'over' }],
    ['ends without an answer', [busy(1)], parting('busy')],
    ['waits for others when the caller stays', [busy(1, true)], { status: 'waiting' }],
    ['continues when one of them joins', [busy(1, true), joined(2)], { status: 'talking' }],
    ['is over when the waiting caller leaves', [busy(1, true), left('caller', 0)], { status: 'over' }],
    ['continues without an answer if others are present', [busy(2)], { status: 'talking' }],
    ['keeps ringing when others join and leave', [joined(2), left('guest', 1)], { status: 'calling' }],
    [
      'keeps ringing when an inaudible callee has hung up',
      [joined(2), left('callee', 1)],
      { status: 'calling' },
    ],
    ['continues for guests whose caller leaves', [joined(3), left('caller', 2)], { status: 'talking' }],
    ['ends for a single remaining guest', [joined(2), left('caller', 1)], parting('other-left')],
    ['ends when the answer was a machine', [ANSWERED, machine(1)], parting('voicemail')],
    ['continues for others when the answer was a machine', [ANSWERED, machine(2)], { status: 'talking' }],
    ['ends at the time limit', [ANSWERED, TIME_UP], parting('time-up')],
    ['ends during ringing at the time limit', [TIME_UP], parting('time-up')],
    ['has one farewell', [ANSWERED, TIME_UP, left('callee', 1)], parting('time-up')],
    ['is not answered twice', [busy(1), ANSWERED], parting('busy')],
    ['is not unanswered after an answer', [ANSWERED, busy(2)], { status: 'talking' }],
  ])('%s', (_what, inputs, state) => {
    expect(through(...inputs)).toEqual(state)
  })

  it.each<[string, CallInput[], unknown]>([
    ['continues when both are present', [joined(1), joined(2)], { status: 'talking' }],
    ['waits for the second, despite other inputs', [joined(1), ANSWERED, busy(1)], RETURNING],
    ['dials the callee again if they do not arrive', [joined(1), missing('callee')], CALLING],
    ['ends for the callee if the caller does not arrive', [missing('caller')], parting('other-left')],
    ['is over when the first leaves before the second arrives', [left('caller', 0)], { status: 'over' }],
    ['stops waiting once it continues', [joined(2), missing('callee')], { status: 'talking' }],
  ])('handed over from another server %s', (_what, inputs, state) => {
    expect(inputs.reduce(next, RETURNING)).toEqual(state)
  })

  it('ends permanently, and inputs without effect keep the state', () => {
    const present = fc.integer({ min: 0, max: 3 })
    const input = fc.oneof(
      fc.constantFrom(ANSWERED, SAID, TIME_UP),
      fc.tuple(present, fc.boolean()).map(([n, stay]) => busy(n, stay)),
      fc.tuple(fc.constantFrom('caller', 'callee', 'guest'), present).map(([who, n]) => left(who, n)),
      present.map(joined),
      present.map(machine),
      fc.constantFrom(missing('caller'), missing('callee')),
    )
    const rank = ({ status }: TwoPartyCallState) =>
      ({ returning: 0, calling: 1, waiting: 2, talking: 3, parting: 4, over: 5 })[status]
    fc.assert(
      fc.property(fc.array(input, { maxLength: 12 }), inputs => {
        let state: TwoPartyCallState = inputs.length % 2 ? RETURNING : CALLING
        for (const each of inputs) {
          const then = next(state, each)
          expect(rank(then)).toBeGreaterThanOrEqual(rank(state))
          // Also a farewell is not replaced by another.
          if (then.status === state.status) expect(then).toBe(state)
          if (each.type === 'left' && each.present === 0) expect(then.status).toBe('over')
          state = then
        }
      }),
    )
  })
})
