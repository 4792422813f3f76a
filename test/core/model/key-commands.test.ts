import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  KEY_ACTIONS,
  type KeyCommand,
  type KeyTable,
  keyTable,
  NO_KEYS,
  press,
} from '../../../src/core/model/key-commands.ts'

const usual = keyTable(KEY_ACTIONS)
const TIMEOUT = 3_000

/** Returns the commands for keys pressed `stepMs` apart. */
function typed(keys: string, table: KeyTable = usual, stepMs = 200): string[] {
  let state = NO_KEYS
  let now = 1_723.456
  return [...keys].flatMap(key => {
    now += stepMs
    const step = press(table, state, key, now, TIMEOUT)
    state = step.state
    return step.command ? [name(step.command)] : []
  })
}
const name = (command: KeyCommand) => ('choice' in command ? `language ${command.choice}` : command.action)

describe('keys', () => {
  test('trigger their actions', () => {
    expect(typed('*1*2*3*5*0')).toEqual(['pause', 'repeat', 'mute', 'recording', 'options'])
    expect(typed('*91*99')).toEqual(['language 1', 'language 9'])
  })

  test('in unknown sequences are ignored', () => {
    expect(typed('1234567890#')).toEqual([])
    expect(typed('*4')).toEqual([])
    expect(typed('*4*1')).toEqual(['pause'])
    expect(typed('**1')).toEqual(['pause'])
    expect(typed('*9*1')).toEqual(['pause'])
    expect(typed('*90')).toEqual([])
    expect(typed('12*2')).toEqual(['repeat'])
  })

  test('after the timeout start a new sequence', () => {
    expect(typed('*1', usual, TIMEOUT)).toEqual(['pause'])
    expect(typed('*1', usual, TIMEOUT + 1)).toEqual([])
  })

  test('can be turned off', () => expect(typed('*3*1', keyTable(['pause', 'repeat']))).toEqual(['pause']))

  test('no sequence is a prefix of another', () => {
    const all = [...usual.keys()]
    for (const one of all) expect(all.filter(each => each.startsWith(one))).toEqual([one])
  })

  test('are recognized after a pause, regardless of earlier keys', () => {
    const key = fc.constantFrom(...'0123456789*#ABCD')
    fc.assert(
      fc.property(
        fc.subarray([...KEY_ACTIONS], { minLength: 1 }),
        fc.array(fc.tuple(key, fc.nat(5_000)), { maxLength: 40 }),
        (actions, presses) => {
          const table = keyTable(actions)
          let state = NO_KEYS
          let now = 1_723.456
          for (const [pressed, afterMs] of presses) {
            now += afterMs
            const step = press(table, state, pressed, now, TIMEOUT)
            state = step.state
            // The state is a prefix of a sequence or empty, and empty after a command.
            if (step.command) expect(state).toBe(NO_KEYS)
            if (state.typed) expect([...table.keys()].some(each => each.startsWith(state.typed))).toBe(true)
            expect(table.has(state.typed)).toBe(false)
          }
          for (const [each, command] of table) {
            now += TIMEOUT + 1
            let last: KeyCommand | undefined
            for (const pressed of each) {
              expect(last).toBeUndefined()
              const step = press(table, state, pressed, now, TIMEOUT)
              state = step.state
              last = step.command
            }
            expect(last).toEqual(command)
          }
        },
      ),
      { seed: 41, numRuns: 400 },
    )
  })
})
