import { expect, test } from 'vitest'
import { StoredKeyUsage } from '../../../../src/service/server/keys/key-usage.ts'
import { SLICE_MS } from '../../../../src/service/usage-ledger.ts'
import { THEN } from '../../../support/service/key-date.ts'
import { stateFolder } from '../../../support/state.ts'

const NOW = THEN.getTime()
const SLICE = Math.floor(NOW / SLICE_MS)
const usage = (slices: [number, number][]) => new Map([['desk', new Map(slices)]])

test('adds up the usage of all services, removes expired usage, and dates future usage to now', () => {
  const state = stateFolder()
  const [one, other] = [new StoredKeyUsage(state.open()), new StoredKeyUsage(state.open())]
  one.add(
    usage([
      [SLICE - 97, 5],
      [SLICE - 96, 7],
      [SLICE, 1.5],
    ]),
    NOW,
  )
  other.add(usage([[SLICE, 2]]), NOW)
  expect(one.read(NOW)).toEqual(
    usage([
      [SLICE - 96, 7],
      [SLICE, 3.5],
    ]),
  )
  expect(one.read(NOW - SLICE_MS)).toEqual(
    usage([
      [SLICE - 96, 7],
      [SLICE - 1, 3.5],
    ]),
  )
  expect(one.read(NOW + 200 * SLICE_MS)).toEqual(new Map())
  state.full(true)
  expect(other.add(usage([[SLICE, 2]]), NOW)).toBe(false)
  expect(other.read(NOW)).toEqual(one.read(NOW))
})
