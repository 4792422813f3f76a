import { describe, expect, it } from 'vitest'
import { MarkRegistry } from '../../../../src/bridges/phone/leg/mark-registry.ts'

describe('marks', () => {
  it('are played when their echo arrives', () => {
    const marks = new MarkRegistry()
    expect(marks.send('u1')).toBe('g0:u1')
    expect(marks.heard('g0:u1')).toBe('u1')
    expect(marks.heard('g0:u1')).toBeUndefined()
  })

  it('are not played when a clear causes the echo', () => {
    const marks = new MarkRegistry()
    const cleared = marks.send('u1')
    marks.flush()
    const kept = marks.send('u1')
    expect(kept).toBe('g1:u1')
    expect(marks.heard(cleared)).toBeUndefined()
    expect(marks.heard(kept)).toBe('u1')
  })

  it('are played the same number of times as sent', () => {
    const marks = new MarkRegistry()
    marks.send('a:b')
    marks.send('a:b')
    expect([marks.heard('g0:a:b'), marks.heard('g0:a:b'), marks.heard('g0:a:b')]).toEqual([
      'a:b',
      'a:b',
      undefined,
    ])
  })

  it('are ignored if they were never sent', () => {
    const marks = new MarkRegistry()
    for (const name of ['', 'u1', 'g0:u1', '__proto__', 'constructor'])
      expect(marks.heard(name)).toBeUndefined()
  })

  it('are forgotten, oldest first, without an echo', () => {
    const marks = new MarkRegistry()
    for (let n = 0; n <= 1_000; n++) marks.send(`u${n}`)
    expect(marks.heard('g0:u0')).toBeUndefined()
    expect(marks.heard('g0:u1')).toBe('u1')
  })
})
