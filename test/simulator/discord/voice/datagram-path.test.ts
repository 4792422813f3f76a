import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DatagramFaults, DatagramPath } from '../../../../src/simulator/discord/voice/datagrams.ts'
import { FakeClock } from '../../../../src/simulator/fakes/fake-clock.ts'
import { randomFrom } from '../../../../src/simulator/random.ts'

/** Sends `count` datagrams, one every 20 ms, each of 40 bytes of its number; returns the arrivals. */
function send(faults: DatagramFaults, count: number, seed = 1): { n: number; at: number; whole: boolean }[] {
  const clock = new FakeClock()
  const since = clock.now()
  const path = new DatagramPath(faults, clock, randomFrom(seed))
  const arrived: { n: number; at: number; whole: boolean }[] = []
  for (let sequence = 0; sequence < count; sequence++) {
    path.pass(Buffer.alloc(40, sequence), { userId: '1', ssrc: 2, sequence }, bytes =>
      arrived.push({
        n: bytes[0]!,
        at: Math.floor(clock.now() - since),
        whole: bytes.every(byte => byte === bytes[0]),
      }),
    )
    clock.advance(20)
  }
  clock.advance(10_000)
  return arrived
}

describe('a direction of the network', () => {
  it('passes everything at once without faults', () =>
    expect(send(new DatagramFaults(), 4)).toEqual([0, 1, 2, 3].map(n => ({ n, at: n * 20, whole: true }))))

  it('delays, and lets others pass', () => {
    const faults = new DatagramFaults()
    faults.delay = ({ sequence }) => sequence === 1
    faults.delayMs = 50
    expect(send(faults, 5).map(({ n, at }) => [n, at])).toEqual([
      [0, 0],
      [2, 40],
      [3, 60],
      [1, 70],
      [4, 80],
    ])
  })

  it('stalls, then everything arrives at once and in order', () => {
    const faults = new DatagramFaults()
    faults.stall(65)
    expect(send(faults, 6).map(({ n, at }) => [n, at])).toEqual([
      [0, 65],
      [1, 65],
      [2, 65],
      [3, 65],
      [4, 80],
      [5, 100],
    ])
    expect(() => faults.stall(0)).toThrow('more than 0 ms')
  })

  it('flips one bit, after the header', () => {
    const faults = new DatagramFaults()
    faults.corrupt = 1
    const arrived = send(faults, 100)
    expect(arrived.every(({ whole }) => !whole)).toBe(true)
    expect(arrived.map(({ n }) => n)).toEqual(Array.from({ length: 100 }, (_, n) => n))
  })

  it('counts its faults, and repeats them for the same seed', () => {
    const share = fc.double({ min: 0, max: 0.5, noNaN: true })
    fc.assert(
      fc.property(fc.nat(), share, share, share, share, (seed, drop, duplicate, delay, reorder) => {
        const faults = () => Object.assign(new DatagramFaults(), { drop, duplicate, delay, reorder })
        const first = faults()
        const arrived = send(first, 60, seed)
        expect(send(faults(), 60, seed)).toEqual(arrived)
        const { dropped, duplicated } = first.counts
        const held = 60 - dropped + duplicated - arrived.length
        // The very last can still wait to be overtaken.
        expect(held === 0 || held === 1).toBe(true)
      }),
    )
  })
})
