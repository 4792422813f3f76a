import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { StreamTokens } from '../../../src/bridges/phone/stream-tokens.ts'

function tokens() {
  const clock = new FakeClock(1_000)
  return { clock, tokens: new StreamTokens(clock, 60_000) }
}

describe('a stream token', () => {
  it('is valid once', () => {
    const { tokens: all } = tokens()
    const token = all.issue('CA1')
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(all.redeem(token, 'CA1')).toBe('ok')
    expect(all.redeem(token, 'CA1')).toBe('unknown')
    expect(all.size).toBe(0)
  })

  it('is valid until it expires', () => {
    const { clock, tokens: all } = tokens()
    const [early, late] = [all.issue('CA1'), all.issue('CA1')]
    clock.advance(59_999)
    expect(all.redeem(early, 'CA1')).toBe('ok')
    clock.advance(1)
    expect(all.redeem(late, 'CA1')).toBe('unknown')
    expect(all.size).toBe(0)
  })

  it('is valid only for its call, and used up by the attempt', () => {
    const { tokens: all } = tokens()
    const token = all.issue('CA1')
    expect(all.redeem(token, 'CA2')).toBe('other-call')
    expect(all.redeem(token, 'CA1')).toBe('unknown')
  })

  it('is neither empty nor guessable', () => {
    const { tokens: all } = tokens()
    all.issue('CA1')
    for (const guess of [undefined, '', '__proto__', 'x'.repeat(43)])
      expect(all.redeem(guess, 'CA1')).toBe('unknown')
  })

  it('is reused while half its lifetime remains', () => {
    const { clock, tokens: all } = tokens()
    const token = all.issue('CA1')
    clock.advance(30_000)
    expect(all.outstanding('CA1')).toBe(token)
    expect(all.outstanding('CA2')).toBeUndefined()
    clock.advance(1)
    expect(all.outstanding('CA1')).toBeUndefined()
  })

  it('returns its round until it is used', () => {
    const { tokens: all } = tokens()
    const token = all.issue('CA1', 3)
    expect([all.attemptOf(token), all.attemptOf('other'), all.attemptOf(undefined)]).toEqual([
      3,
      undefined,
      undefined,
    ])
    all.redeem(token, 'CA1')
    expect(all.attemptOf(token)).toBeUndefined()
  })

  it('frees its memory when it expires', () => {
    const { clock, tokens: all } = tokens()
    for (let n = 0; n < 100; n++) all.issue(`CA${n}`)
    clock.advance(60_000)
    all.issue('CA')
    expect(all.size).toBe(1)
  })
})
