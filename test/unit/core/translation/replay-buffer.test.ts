import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FragmentPool, ReplayBuffer } from '../../../../src/core/translation/replay-buffer.ts'
import { FRAME_SAMPLES } from '../../../../src/transcode/pcm.ts'

const frame = new Int16Array(FRAME_SAMPLES)

function ringOf(capacityMs = 30_000) {
  const pool = new FragmentPool(1_920)
  const ring = new ReplayBuffer(pool, 60, capacityMs)
  /** Writes `count` fragments; frame n holds the value n. */
  let written = 0
  const speak = (count: number, isQuiet = false) => {
    for (let n = 0; n < count * 3; n++) ring.write(frame.fill(written++), isQuiet)
  }
  const send = (now = 0) => {
    const sent: number[] = []
    for (let f = ring.next(now); f; f = ring.next(now)) sent.push(f.sequence)
    return sent
  }
  const ackAll = (sequences: number[]) => {
    for (const s of sequences) ring.ack(s, true)
  }
  return { pool, ring, speak, send, ackAll }
}

describe('the replay buffer', () => {
  test('returns fragments of whole frames, in order, with unchanged bytes', () => {
    const { ring, speak } = ringOf()
    expect(ring.write(frame.fill(7), false)).toBe(false)
    expect(ring.write(frame.fill(8), false)).toBe(false)
    expect(ring.write(frame.fill(9), false)).toBe(true)
    speak(1)
    const first = ring.next(100)
    expect(first?.sequence).toBe(0)
    expect(new Int16Array(first!.bytes.buffer, first!.bytes.byteOffset, 960)[319]).toBe(7)
    expect(new Int16Array(first!.bytes.buffer, first!.bytes.byteOffset, 960)[959]).toBe(9)
    expect(ring.next(100)?.sequence).toBe(1)
    expect(ring.next(100)).toBeUndefined()
  })

  test('keeps acknowledged audio until a final result covers it, and replays it', () => {
    const { ring, speak, send, ackAll } = ringOf()
    speak(10)
    ackAll(send())
    expect(ring.length).toBe(10)
    ring.discharge(4)
    expect(ring.oldest).toBe(4)
    expect(ring.rewind()).toBe(6)
    expect(send()).toEqual([4, 5, 6, 7, 8, 9])
  })

  test('keeps all unacknowledged audio', () => {
    const { ring, speak, send } = ringOf()
    speak(3)
    send()
    ring.ack(1, true)
    ring.discharge(3)
    expect(ring.length).toBe(3)
    ring.ack(0, true)
    ring.discharge(3)
    expect(ring.oldest).toBe(2)
  })

  test('sends only a failed fragment again', () => {
    const { ring, speak, send } = ringOf()
    speak(4)
    send()
    ring.ack(0, true)
    ring.ack(1, false)
    ring.ack(2, true)
    expect(send(5)).toEqual([1])
    expect(ring.inFlight).toBe(2)
    // The third has waited since 0, longer than the second since its repetition.
    expect(ring.waitingSince()).toBe(0)
    ring.ack(3, true)
    expect(ring.waitingSince()).toBe(5)
  })

  test('without a position from the service, a result covers speech up to the latest pause', () => {
    const { ring, speak, send, ackAll } = ringOf()
    speak(5)
    speak(4, true)
    speak(2)
    ackAll(send())
    expect(ring.latestPause()).toBe(6)
    const talking = ringOf()
    talking.speak(5)
    talking.ackAll(talking.send())
    expect(talking.ring.latestPause()).toBeUndefined()
    expect([talking.ring.resting, ringOf().ring.resting]).toEqual([false, true])
  })

  test('discards quiet before speech, except a short lead-in', () => {
    const { ring, speak, send, ackAll } = ringOf()
    speak(50, true)
    speak(3)
    ackAll(send())
    ring.tidy(0)
    expect(ring.oldest).toBe(45)
    ring.tidy(20_000)
    expect(ring.length).toBe(0)
  })

  test('is bounded: drops the oldest audio, and counts audio that the service never accepted', () => {
    const { ring, speak, send, ackAll } = ringOf(600)
    speak(10)
    ackAll(send())
    speak(4)
    expect(ring.length).toBe(10)
    expect(ring.lostMs).toBe(0)
    speak(10)
    expect(ring.lostMs).toBe(240)
    expect(ring.oldest).toBe(14)
  })

  test('releases its memory', () => {
    const { pool, ring, speak } = ringOf()
    speak(5)
    ring.close()
    const known = new Set([pool.take(), pool.take(), pool.take(), pool.take(), pool.take(), pool.take()])
    expect(known.size).toBe(6)
  })

  test('does not overwrite audio in flight', () => {
    const { ring, speak } = ringOf(240)
    speak(4)
    const sent = ring.next(0)!
    const bytes = Uint8Array.from(sent.bytes)
    // The buffer is full: the oldest fragments are dropped, sent or not.
    speak(20)
    expect(Uint8Array.from(sent.bytes)).toEqual(bytes)
    const last = ring.next(0)!
    const lastBytes = Uint8Array.from(last.bytes)
    ring.close()
    const other = new ReplayBuffer(new FragmentPool(1_920), 60, 240)
    for (let n = 0; n < 30; n++) other.write(frame.fill(-1), false)
    expect(Uint8Array.from(last.bytes)).toEqual(lastBytes)
  })

  test('names invalid arguments', () => {
    expect(() => new ReplayBuffer(new FragmentPool(1_920), 50, 1_000)).toThrow('50')
    expect(() => new ReplayBuffer(new FragmentPool(640), 60, 1_000)).toThrow('640')
    expect(() => new ReplayBuffer(new FragmentPool(1_600), 50, 1_000)).toThrow('whole frames')
    expect(() => new ReplayBuffer(new FragmentPool(0), 0, 1_000)).toThrow('whole frames')
    expect(() => new ReplayBuffer(new FragmentPool(640), 20, 1_000)).not.toThrow()
  })

  test('for any input, unacked audio within the bound is sent once per connection, in order', () => {
    const action = fc.oneof(
      fc.record({ do: fc.constant('speak' as const), count: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ do: fc.constant('send' as const) }),
      fc.record({ do: fc.constant('ack' as const) }),
      fc.record({ do: fc.constant('drop' as const) }),
      fc.record({ do: fc.constant('final' as const), back: fc.integer({ min: 0, max: 5 }) }),
    )
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), actions => {
        const { ring, speak, send, ackAll } = ringOf()
        let pending: number[] = []
        const acked = new Set<number>()
        let total = 0
        for (const step of actions) {
          if (step.do === 'speak') {
            speak(step.count)
            total += step.count
          } else if (step.do === 'send') pending.push(...send())
          else if (step.do === 'ack') {
            ackAll(pending)
            for (const s of pending) acked.add(s)
            pending = []
          } else if (step.do === 'drop') {
            ring.rewind()
            pending = []
          } else ring.discharge(total - step.back)
        }
        ring.rewind()
        const again = send()
        expect(again).toEqual(again.toSorted((a, b) => a - b))
        for (let s = 0; s < total; s++) if (!acked.has(s)) expect(again).toContain(s)
      }),
    )
  })
})
