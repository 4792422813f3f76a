import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { LinkCounters } from '../../../../src/bridges/discord/counters.ts'
import {
  DaveGuard,
  type DaveSession,
  looksEncrypted,
} from '../../../../src/bridges/discord/voice/dave-guard.ts'

const OPUS = Buffer.from([0xf8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
/** A frame with DAVE’s trailer: tag, nonce, size of the supplement, marker. */
const CIPHERTEXT = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 12, 0xfa, 0xfa])

/** The library’s session, as far as it matters: `broken` decrypts nothing. */
class FakeDave implements DaveSession {
  protocolVersion = 1
  lastTransitionId: number | undefined = 0
  reinitializing = false
  readonly pendingTransitions = new Map<number, number>()
  ready = true
  broken = false
  readonly asked: number[] = []
  onInvalidated = () => {}

  get session() {
    return { ready: this.ready, canPassthrough: () => false }
  }

  decrypt(packet: Buffer): Buffer | null {
    if (this.broken || !looksEncrypted(packet)) throw new Error('no key fits')
    return Buffer.from(OPUS)
  }

  recoverFromInvalidTransition(transitionId: number): void {
    if (this.reinitializing) return
    this.reinitializing = true
    this.ready = false
    this.asked.push(transitionId)
    this.onInvalidated()
  }
}

function stage() {
  const clock = new FakeClock(1_000)
  const counters = new LinkCounters()
  const dave = new FakeDave()
  const state = { givenUp: 0 }
  const guard = new DaveGuard(clock, counters, () => void state.givenUp++)
  dave.onInvalidated = () => guard.invalidated()
  guard.use(dave)
  /** Frames of one speaker in real time. */
  const say = (frame: Buffer, packets: number, userId = '1') => {
    let heard = 0
    for (let n = 0; n < packets; n++) {
      if (guard.opened(frame, userId) instanceof Buffer) heard++
      clock.advance(20)
    }
    return heard
  }
  return { clock, counters, dave, guard, state, say }
}

describe('frames', () => {
  test('are decrypted', () => {
    const { say, guard } = stage()
    expect(say(CIPHERTEXT, 10)).toBe(10)
    expect(guard.encrypted).toBe(true)
  })

  test('pass unencrypted where there is no encryption, but encrypted ones never do', () => {
    const { guard, dave, say, counters } = stage()
    dave.protocolVersion = 0
    expect(guard.encrypted).toBe(false)
    expect(say(OPUS, 10)).toBe(10)
    expect(say(CIPHERTEXT, 10)).toBe(0)
    guard.use(undefined)
    expect(say(OPUS, 10)).toBe(10)
    expect(say(CIPHERTEXT, 1_000)).toBe(0)
    expect(counters.tooEarly).toBe(1_010)
    expect(dave.asked).toEqual([])
  })

  test('that are encrypted are not decoded while the session is not ready', () => {
    const { dave, say, counters, guard } = stage()
    dave.ready = false
    expect(guard.encrypted).toBeUndefined()
    expect(say(CIPHERTEXT, 10)).toBe(0)
    expect(counters.tooEarly).toBe(10)
    expect(say(OPUS, 1)).toBe(1)
  })

  test('are recognized by their end', () => {
    expect(looksEncrypted(CIPHERTEXT)).toBe(true)
    expect(looksEncrypted(OPUS)).toBe(false)
    expect(looksEncrypted(Buffer.from([...Array(40).fill(0x81), 1, 13, 0xfa, 0xfa]))).toBe(true)
    expect(looksEncrypted(Buffer.from([...Array(40).fill(0x81), 0x81, 13, 0xfa, 0xfa]))).toBe(false)
    expect(looksEncrypted(Buffer.from([...Array(40).fill(1), 1, 13, 0xfa, 0xfa]))).toBe(false)
    expect(looksEncrypted(Buffer.from([0xfa, 0xfa]))).toBe(false)
    expect(looksEncrypted(Buffer.of())).toBe(false)
    expect(looksEncrypted(Buffer.from([...Array(12).fill(1), 200, 0xfa, 0xfa]))).toBe(false)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
        if (looksEncrypted(bytes)) expect([...bytes.slice(-2)]).toEqual([0xfa, 0xfa])
      }),
      { numRuns: 500, seed: 9 },
    )
  })
})

describe('when nothing can be decrypted', () => {
  test('reinitializes the session, also for the first group, whose transition is 0', () => {
    const { dave, say, counters } = stage()
    dave.broken = true
    say(CIPHERTEXT, 60)
    expect(dave.asked).toEqual([0])
    expect(counters).toMatchObject({ undecryptable: 51, reinitialized: 1 })
  })

  test('does not reinitialize while anyone can be decrypted', () => {
    const { dave, say } = stage()
    for (let n = 0; n < 300; n++) {
      dave.broken = true
      say(CIPHERTEXT, 1, '2')
      dave.broken = false
      say(CIPHERTEXT, 1)
    }
    expect(dave.asked).toEqual([])
  })

  test('takes as long with twenty speakers as with one', () => {
    const { dave, guard, clock } = stage()
    dave.broken = true
    for (let n = 0; n < 20; n++) {
      for (let user = 0; user < 20; user++) guard.opened(CIPHERTEXT, String(user))
      clock.advance(20)
    }
    expect(dave.asked).toEqual([])
  })

  test('waits during a transition', () => {
    const { dave, say } = stage()
    dave.broken = true
    dave.pendingTransitions.set(5, 1)
    say(CIPHERTEXT, 200)
    expect(dave.asked).toEqual([])
  })

  test('waits a limited time for an announced transition that is never executed, then reinitializes', () => {
    const { dave, say, guard, clock } = stage()
    dave.broken = true
    dave.pendingTransitions.set(5, 1)
    guard.check(clock.now(), false)
    say(CIPHERTEXT, 490)
    expect(dave.asked).toEqual([])
    say(CIPHERTEXT, 80)
    expect(dave.asked).toEqual([0])
    // A later one is an excuse again, for the same time.
    dave.reinitializing = false
    dave.ready = true
    dave.pendingTransitions.set(6, 1)
    say(CIPHERTEXT, 490)
    expect(dave.asked).toEqual([0])
    say(CIPHERTEXT, 80)
    expect(dave.asked).toEqual([0, 0])
  })

  test('tolerates plaintext for a long time', () => {
    const { say, dave, counters } = stage()
    say(OPUS, 200)
    expect(dave.asked).toEqual([])
    expect(counters.plaintext).toBe(200)
    say(OPUS, 100)
    expect(dave.asked).toEqual([0])
  })

  test('reinitializes a session that is not ready for long', () => {
    const { say, dave } = stage()
    dave.ready = false
    say(CIPHERTEXT, 240)
    expect(dave.asked).toEqual([])
    say(CIPHERTEXT, 20)
    expect(dave.asked).toEqual([0])
  })

  test('reinitializes five times, then stops', () => {
    const { dave, say, counters, state } = stage()
    for (let round = 0; round < 8; round++) {
      dave.reinitializing = false
      dave.ready = true
      dave.broken = true
      say(CIPHERTEXT, 250)
    }
    expect(counters.reinitialized).toBeGreaterThanOrEqual(6)
    expect(dave.asked.length).toBeGreaterThanOrEqual(6)
    expect(state.givenUp).toBeGreaterThanOrEqual(1)
  })

  test('restarts the count after every success', () => {
    const { dave, say, state, counters } = stage()
    for (let round = 0; round < 20; round++) {
      dave.broken = true
      say(CIPHERTEXT, 60)
      dave.reinitializing = false
      dave.ready = true
      dave.broken = false
      say(CIPHERTEXT, 250)
    }
    expect(state.givenUp).toBe(0)
    expect(counters).toMatchObject({ reinitialized: 20, recovered: 20 })
  })
})

describe('a server that does not answer', () => {
  test('is retried after a while, unless we are alone', () => {
    const { dave, say, guard, clock } = stage()
    dave.broken = true
    say(CIPHERTEXT, 60)
    for (let n = 0; n < 20; n++) {
      clock.advance(1_000)
      guard.check(clock.now(), true)
    }
    expect(dave.asked.length).toBe(1)
    guard.check(clock.now(), false)
    expect(dave.asked.length).toBe(2)
  })

  test('is not retried while no reinitialization is pending', () => {
    const { dave, guard, clock } = stage()
    clock.advance(60_000)
    guard.check(clock.now(), false)
    dave.ready = false
    guard.check(clock.now(), false)
    guard.use(undefined)
    guard.check(clock.now(), false)
    expect(dave.asked).toEqual([])
  })
})
