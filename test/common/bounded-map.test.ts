import { describe, expect, it } from 'vitest'
import { BoundedMap } from '../../src/common/bounded-map.ts'

describe('a bounded map', () => {
  it('evicts the entry that was set longest ago', () => {
    const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3).set('c', 4)
    expect([...map]).toEqual([
      ['a', 3],
      ['c', 4],
    ])
  })

  it('never holds more than its maximum', () => {
    const map = new BoundedMap<number, string>(1_000)
    for (let user = 0; user < 10_000; user++) map.set(user, 'de')
    expect(map.size).toBe(1_000)
    expect([map.has(8_999), map.has(9_000)]).toEqual([false, true])
  })

  it('creates a missing value once', () => {
    const map = new BoundedMap<string, string | undefined>(2)
    let made = 0
    const make = () => {
      made++
      return undefined
    }
    map.getOrSet('a', make)
    map.getOrSet('a', make)
    expect(made).toBe(1)
  })

  it('rejects a maximum that is not a positive integer', () => {
    expect(() => new BoundedMap(0)).toThrow(new RangeError('max must be a positive integer, but is 0'))
  })
})
