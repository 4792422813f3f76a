import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CallInput, type CallState, next } from '../../src/core/switchboard-state.ts'

const CALLING: CallState = { status: 'calling' }
const RETURNING: CallState = { status: 'returning' }
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

describe('a call between two', () => {
  it.each<[string, CallInput[], unknown]>([
    ['is answered', [joined(2), ANSWERED], { status: 'talking' }],
    ['is over when the caller goes while it rings', [left('caller', 0)], { status: 'over' }],
    ['ends when the other side goes', [ANSWERED, left('callee', 1)], parting('other-left')],
    ['ends when the caller goes', [ANSWERED, left('caller', 1)], parting('other-left')],
    ['goes on for two who are left', [ANSWERED, left('caller', 2)], { status: 'talking' }],
    [
      'ends when one of those is left',
      [ANSWERED, left('caller', 2), left('guest', 1)],
      parting('other-left'),
    ],
    ['is over when both go at once', [ANSWERED, left('caller', 1), left('callee', 0)], { status: 'over' }],
    ['is over when the farewell is said', [ANSWERED, left('caller', 1), SAID], { status: 'over' }],
    ['ends when nobody comes', [busy(1)], parting('busy')],
    ['waits for others when the caller stays', [busy(1, true)], { status: 'waiting' }],
    ['goes on when one of them comes', [busy(1, true), joined(2)], { status: 'talking' }],
    ['is over when the caller goes after all', [busy(1, true), left('caller', 0)], { status: 'over' }],
    ['goes on when nobody comes but others are there', [busy(2)], { status: 'talking' }],
    ['still rings when others come and go', [joined(2), left('guest', 1)], { status: 'calling' }],
    ['still rings when somebody unheard has hung up', [joined(2), left('callee', 1)], { status: 'calling' }],
    ['goes on for guests whose caller goes', [joined(3), left('caller', 2)], { status: 'talking' }],
    ['ends for a guest who is left alone', [joined(2), left('caller', 1)], parting('other-left')],
    ['ends when a machine was taken for a person', [ANSWERED, machine(1)], parting('voicemail')],
    ['goes on for others when a machine was', [ANSWERED, machine(2)], { status: 'talking' }],
    ['ends when its time is up', [ANSWERED, TIME_UP], parting('time-up')],
    ['ends while it rings when its time is up', [TIME_UP], parting('time-up')],
    ['has one farewell', [ANSWERED, TIME_UP, left('callee', 1)], parting('time-up')],
    ['is not answered twice', [busy(1), ANSWERED], parting('busy')],
    ['is not unanswered after it was answered', [ANSWERED, busy(2)], { status: 'talking' }],
  ])('%s', (_what, inputs, state) => {
    expect(through(...inputs)).toEqual(state)
  })

  it.each<[string, CallInput[], unknown]>([
    ['goes on when both are there', [joined(1), joined(2)], { status: 'talking' }],
    ['waits for the second, whoever else says what', [joined(1), ANSWERED, busy(1)], RETURNING],
    ['calls anew whom it called before when they do not come', [joined(1), missing('callee')], CALLING],
    ['ends for whom was called when the caller does not come', [missing('caller')], parting('other-left')],
    ['is over when the first goes before the second comes', [left('caller', 0)], { status: 'over' }],
    ['waits for nobody after it went on', [joined(2), missing('callee')], { status: 'talking' }],
  ])('that another server began %s', (_what, inputs, state) => {
    expect(inputs.reduce(next, RETURNING)).toEqual(state)
  })

  it('ends for good, and what says nothing new changes nothing', () => {
    const present = fc.integer({ min: 0, max: 3 })
    const input = fc.oneof(
      fc.constantFrom(ANSWERED, SAID, TIME_UP),
      fc.tuple(present, fc.boolean()).map(([n, stay]) => busy(n, stay)),
      fc.tuple(fc.constantFrom('caller', 'callee', 'guest'), present).map(([who, n]) => left(who, n)),
      present.map(joined),
      present.map(machine),
      fc.constantFrom(missing('caller'), missing('callee')),
    )
    const rank = ({ status }: CallState) =>
      ({ returning: 0, calling: 1, waiting: 2, talking: 3, parting: 4, over: 5 })[status]
    fc.assert(
      fc.property(fc.array(input, { maxLength: 12 }), inputs => {
        let state: CallState = inputs.length % 2 ? RETURNING : CALLING
        for (const each of inputs) {
          const then = next(state, each)
          expect(rank(then)).toBeGreaterThanOrEqual(rank(state))
          if (then.status === state.status) expect(then).toBe(state)
          state = then
        }
      }),
    )
  })
})
