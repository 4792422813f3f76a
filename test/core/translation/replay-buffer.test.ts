import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FragmentPool } from '../../../src/core/translation/fragment-store.ts'
import { ReplayBuffer } from '../../../src/core/translation/replay-buffer.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'

const frame = new Int16Array(FRAME_SAMPLES)

function ringOf(capacityMs = 30_000) {
  const pool = new FragmentPool()
  const ring = new ReplayBuffer({ pool, fragmentMs: 60, capacityMs })
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
    const bytes = ring.bytesOf(first!)
    expect(bytes.length).toBe(1_920)
    expect(new Int16Array(bytes.buffer, bytes.byteOffset, 960)[319]).toBe(7)
    expect(new Int16Array(bytes.buffer, bytes.byteOffset, 960)[959]).toBe(9)
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
    expect(pool.lent).toBe(5)
    ring.close()
    expect(pool.lent).toBe(0)
    const known = new Set([1, 2, 3, 4, 5, 6].map(() => pool.take(1_920)))
    expect(known.size).toBe(6)
  })

  test('does not overwrite the audio that it holds', () => {
    const { ring, speak } = ringOf(240)
    speak(4)
    const sent = ring.next(0)!
    const bytes = Uint8Array.from(ring.bytesOf(sent))
    // Other sessions restore, drop and store audio in the same pool meanwhile.
    const other = ringOf(240)
    other.speak(30)
    for (let f = other.ring.next(0); f; f = other.ring.next(0)) other.ring.bytesOf(f)
    ring.rewind()
    expect(Uint8Array.from(ring.bytesOf(ring.next(0)!))).toEqual(bytes)
  })

  test('names invalid arguments', () => {
    const pool = new FragmentPool()
    const ofMs = (fragmentMs: number) => new ReplayBuffer({ pool, fragmentMs, capacityMs: 1_000 })
    expect(() => ofMs(50)).toThrow('got 50 ms')
    expect(() => ofMs(0)).toThrow('whole frames')
    expect(() => ofMs(1_020)).toThrow('at most 1000 ms')
    expect(() => ofMs(Number.NaN)).toThrow('NaN')
    expect(() => ofMs(20)).not.toThrow()
  })
})

describe('the length of fragments', () => {
  /** Lengths (ms) of the fragments of `spoken`: pairs of a state and its duration (ms). */
  function lengthsOf(spoken: readonly (readonly ['speech' | 'quiet', number])[]): number[] {
    const ring = new ReplayBuffer({
      ...{ pool: new FragmentPool(), fragmentMs: 60, quietFragmentMs: 180, capacityMs: 60_000 },
    })
    const lengths: number[] = []
    for (const [state, ms] of spoken)
      for (let at = 0; at < ms; at += 20)
        if (ring.write(frame, state === 'quiet')) lengths.push(ring.bytesOf(ring.next(0)!).length / 32)
    return lengths
  }

  test('is short while someone speaks and for one second afterwards, then long', () => {
    expect(
      lengthsOf([
        ['speech', 300],
        ['quiet', 1_600],
      ]),
    ).toEqual([...Array.from({ length: 21 }, () => 60), 180, 180, 180])
  })

  test('the first loud frame completes a long fragment', () => {
    const lengths = lengthsOf([
      ['quiet', 1_760],
      ['speech', 120],
    ])
    // 80 ms of a long fragment were filled when speech started.
    expect(lengths).toEqual([...Array.from({ length: 16 }, () => 60), 180, 180, 180, 180, 100, 60])
  })

  test('never loses a frame, and never delays speech by more than a short fragment', () => {
    const stretch = fc.tuple(
      fc.constantFrom('speech' as const, 'quiet' as const),
      fc.integer({ min: 1, max: 60 }),
    )
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 12 }), fc.boolean(), (stretches, narrowband) => {
        const ring = new ReplayBuffer({
          ...{
            pool: new FragmentPool(),
            fragmentMs: 60,
            quietFragmentMs: 180,
            capacityMs: 60_000,
            narrowband,
          },
        })
        let written = 0
        let waiting = 0
        const received: number[] = []
        for (const [state, frames] of stretches)
          for (let n = 0; n < frames; n++) {
            written++
            const complete = ring.write(frame, state === 'quiet')
            waiting = complete ? 0 : waiting + 1
            if (state === 'speech') expect(waiting).toBeLessThan(3)
            if (complete) received.push(ring.bytesOf(ring.next(0)!).length / 640)
          }
        expect(received.reduce((sum, each) => sum + each, 0) + waiting).toBe(written)
      }),
    )
  })
})

describe('the newest audio', () => {
  test('is kept while nobody speaks: at least a second, in whole fragments', () => {
    const { ring, speak } = ringOf()
    speak(17, true)
    ring.keepNewest()
    expect([ring.length, ring.oldest, ring.oldestFrame, ring.frames]).toEqual([17, 0, 0, 51])
    speak(3, true)
    ring.write(frame, true)
    ring.keepNewest()
    expect([ring.length, ring.oldest, ring.oldestFrame, ring.frames]).toEqual([17, 3, 9, 61])
    ring.close()
    expect([ring.length, ring.oldest, ring.oldestFrame]).toEqual([0, 20, 60])
  })
})

test('audio of a phone line is restored without a break at the edges of its fragments', () => {
  const ring = new ReplayBuffer({
    pool: new FragmentPool(),
    fragmentMs: 60,
    capacityMs: 30_000,
    narrowband: true,
  })
  const wave = Int16Array.from(
    { length: 15 * FRAME_SAMPLES },
    (_, n) => 8_000 * Math.sin((n * 2 * Math.PI) / 40),
  )
  for (let at = 0; at < wave.length; at += FRAME_SAMPLES)
    ring.write(wave.subarray(at, at + FRAME_SAMPLES), false)
  const restored: number[] = []
  for (let sent = ring.next(0); sent; sent = ring.next(0)) {
    const bytes = ring.bytesOf(sent)
    restored.push(...new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2))
  }
  // The phone line has 8 kHz in µ-law: what is between its samples is interpolated, also across fragments.
  const errors = restored.map((value, n) => Math.abs(value - wave[n]!))
  expect(restored).toHaveLength(wave.length)
  const edges = errors.filter((_, n) => n > 960 && n < 4 * 960 && (n % 960 < 8 || n % 960 > 951))
  expect(Math.max(...edges)).toBeLessThan(200)
})
