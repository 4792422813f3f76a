import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Backlog } from '../../../src/bridges/websocket/backlog.ts'

/** Messages of 20 ms on a sender's clock with an arbitrary start. */
function sender(from = 987_654.25) {
  const backlog = new Backlog(1_000)
  let now = 1_000
  let at = from
  let taken = 0
  let outdated = 0
  return {
    get taken() {
      return taken
    },
    get outdated() {
      return outdated
    },
    wait: (ms: number) => {
      now += ms
    },
    jump: (to: number) => {
      at = to
    },
    say: (count = 1) => {
      for (let n = 0; n < count; n++, at += 20) {
        if (backlog.outdated(at, 20, now)) outdated++
        else taken++
      }
    },
    /** `count` messages, each `everyMs`, `each` of them at a time. */
    speak(count: number, everyMs = 20, each = 1) {
      for (let n = 0; n < count; n += each) {
        this.wait(everyMs * each)
        this.say(each)
      }
    },
  }
}

describe('audio is current', () => {
  test('from a sender that is permanently too slow', () => {
    const s = sender()
    s.speak(100_000, 22)
    expect(s.outdated).toBe(0)
  })

  test('from a sender whose clock is off by a thousandth, with constant jitter', () => {
    const s = sender()
    // 14 s off after four hours.
    s.speak(720_000, 20.02, 3)
    expect(s.outdated).toBe(0)
  })

  test('from a sender that resets its clock', () => {
    const s = sender()
    for (const from of [3_600_000, 0, 7_200_000, 100_000]) {
      s.jump(from)
      s.speak(100)
    }
    expect(s.outdated).toBe(0)
  })

  test("after a pause in which the sender's clock continued", () => {
    const s = sender(0)
    s.speak(100)
    s.wait(60_000)
    s.jump(62_000)
    s.speak(100)
    expect(s.outdated).toBe(0)
  })

  test('from a sender that was suspended, except for half a second', () => {
    const s = sender()
    s.speak(100)
    s.wait(60_000)
    s.speak(1_000)
    expect(s.outdated).toBeLessThanOrEqual(25)
  })

  test('without a timestamp', () => {
    const backlog = new Backlog(0)
    backlog.outdated(0, 20, 0)
    expect(backlog.outdated(Number.NaN, 20, 100_000)).toBe(false)
  })
})

test('after a stall of any length, the newest 10 s are kept, and all later audio', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 150_000 }),
      fc.integer({ min: 1, max: 500 }),
      fc.boolean(),
      (stallMs, before, inPieces) => {
        const s = sender()
        s.speak(before)
        const { taken } = s
        s.wait(stallMs)
        const held = Math.floor(stallMs / 20)
        // Reading these takes time on a slow machine.
        if (inPieces) s.speak(held, 1)
        else s.say(held)
        const kept = s.taken - taken
        expect(kept + s.outdated).toBe(held)
        // The last one has waited for the reading of all others, 1 ms each.
        expect(kept).toBeGreaterThanOrEqual(Math.min(held, inPieces ? (10_000 - held) / 19 - 1 : 500))
        expect(kept).toBeLessThanOrEqual(500 + stallMs / 2_000 + 20)
        const { outdated } = s
        s.speak(500)
        expect(s.outdated).toBe(outdated)
      },
    ),
    { numRuns: 200 },
  )
})
