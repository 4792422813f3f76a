import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lowpass } from '../../../src/transcode/resample/polyphase-filter.ts'
import { createResampler, RATES } from '../../../src/transcode/resample/resampler.ts'
import { noise, sine } from '../../support/transcode/signal.ts'

const PAIRS = [
  ...RATES.map(rate => [rate, 16_000] as const),
  ...RATES.map(rate => [16_000, rate] as const),
  ...RATES.map(rate => [rate, 8000] as const),
]

describe('every pair of rates', () => {
  test.each(PAIRS)('%i → %i: exact counts and the same samples for any splitting', (from, to) => {
    const bytes = noise(2 * from * 0.2)
    const input = new Int16Array(bytes.buffer, 0, bytes.length >> 1)
    const whole = createResampler(from, to).process(input).slice()
    const cuts = fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(cuts, lengths => {
        const resampler = createResampler(from, to)
        let read = 0
        let made = 0
        for (const length of lengths) {
          const part = input.subarray(read, read + length)
          const out = resampler.process(part)
          for (let i = 0; i < out.length; i++) if (out[i] !== whole[made + i]) return false
          read += part.length
          made += out.length
          if (made !== Math.ceil((read * to) / from)) return false
        }
        return true
      }),
      { numRuns: 25 },
    )
  })

  test.each(PAIRS)('%i → %i: a minute in frames of 20 ms does not drift', (from, to) => {
    const resampler = createResampler(from, to)
    const samples = Math.floor(from / 50)
    const frame = sine(440, from, samples)
    let read = 0
    let made = 0
    for (let i = 0; i < 3000; i++) {
      made += resampler.process(frame).length
      read += samples
      if (Math.abs(made - (read * to) / from) >= 1) throw new Error(`${made} of ${read}`)
    }
    expect(made).toBe(Math.ceil((read * to) / from))
  })

  test.each(PAIRS)('%i → %i: flush returns exactly the delay and resets the resampler', (from, to) => {
    const resampler = createResampler(from, to)
    const input = sine(700, from, 2000)
    const first = [...resampler.process(input)]
    const tail = [...resampler.flush()]
    expect(tail.length).toBeCloseTo((resampler.delayMs * to) / 1000, 9)
    expect([...resampler.process(input)]).toEqual(first)
    resampler.reset()
    expect([...resampler.process(input)]).toEqual(first)
  })

  test.each(PAIRS)('%i → %i: constant input stays constant, and full scale does not wrap', (from, to) => {
    const resampler = createResampler(from, to)
    const steady = resampler.process(new Int16Array(from / 10).fill(12_345))
    for (const sample of steady.subarray(steady.length >> 1))
      expect(Math.abs(sample - 12_345)).toBeLessThanOrEqual(1)
    resampler.reset()
    const square = Int16Array.from({ length: from / 5 }, (_, i) =>
      i % Math.round(from / 200) < from / 400 ? 32_767 : -32_768,
    )
    const out = resampler.process(square)
    let jumps = 0
    for (let i = 1; i < out.length; i++) if (Math.abs(out[i]! - out[i - 1]!) > 60_000) jumps++
    // Twenty periods of two edges; a wrapped sample would add two jumps each.
    expect(jumps).toBeLessThanOrEqual(80)
    const middle = out.subarray(out.length >> 1)
    expect(Math.max(...middle)).toBe(32_767)
    expect(Math.min(...middle)).toBe(-32_768)
  })
})

test.each([
  [8000, 16_000],
  [16_000, 8000],
  [44_100, 16_000],
])('%i → %i: after an hour, every sample has the same position as in the first second', (from, to) => {
  const resampler = createResampler(from, to)
  // 400 Hz has eight whole periods in 20 ms, so each frame continues the last one.
  const frame = sine(400, from, from / 50)
  resampler.process(frame)
  const first = resampler.process(frame).slice()
  for (let i = 2; i < 50 * 3600; i++) resampler.process(frame)
  expect(resampler.process(frame)).toEqual(first)
})

describe('by two', () => {
  test.each([
    [8000, 16_000],
    [16_000, 8000],
    [16_000, 32_000],
    [32_000, 16_000],
  ])('%i → %i: every sample is the direct sum, rounded to the nearest', (from, to) => {
    const resampler = createResampler(from, to)
    const bytes = noise(6000)
    const input = new Int16Array(bytes.buffer, 0, 3000)
    const up = to > from ? 2 : 1
    const down = to > from ? 1 : 2
    const lag = Math.round((resampler.delayMs * to) / 1000) * down
    const filter = lowpass(0.25, lag, up)
    // Pieces of odd lengths, so that the first sample has both parities.
    const out: number[] = []
    for (let at = 0; at < input.length; at += 333)
      out.push(...resampler.process(input.subarray(at, at + 333)))
    expect(out.length).toBe((input.length * up) / down)
    for (let i = 0; i < out.length; i++) {
      let sum = 0
      for (let k = 0; k < filter.length; k++) {
        const at = i * down - k
        if (at % up === 0) sum += filter[k]! * (input[at / up] ?? 0)
      }
      const clamped = Math.max(-32_768, Math.min(32_767, sum))
      expect(Math.abs(out[i]! - clamped), `sample ${i}`).toBeLessThanOrEqual(0.51)
    }
  })
})

test('interleaved pairs in one memory match separate ones', () => {
  const frame = (rate: number) => sine(300, rate, Math.floor(rate / 50))
  const alone = PAIRS.map(([from, to]) => {
    const resampler = createResampler(from, to)
    return [0, 1, 2].map(() => resampler.process(frame(from)).slice())
  })
  const together = PAIRS.map(([from, to]) => createResampler(from, to))
  for (const turn of [0, 1, 2])
    together.forEach((resampler, i) => {
      expect(resampler.process(frame(resampler.from))).toEqual(alone[i]![turn])
    })
})

describe('createResampler', () => {
  test('returns exactly 320 samples for 160, on every call', () => {
    const resampler = createResampler(8000, 16_000)
    for (let i = 0; i < 1000; i++) expect(resampler.process(new Int16Array(160)).length).toBe(320)
  })

  test('passes equal rates through', () => {
    const resampler = createResampler(16_000, 16_000)
    const pcm = Int16Array.of(1, 2, 3)
    expect(resampler.process(pcm)).toBe(pcm)
    expect(resampler.flush().length).toBe(0)
    expect(resampler.delayMs).toBe(0)
  })

  test('allocates nothing for frames of one length', () => {
    const resampler = createResampler(8000, 16_000)
    const frame = new Int16Array(160)
    expect(resampler.process(frame)).toBe(resampler.process(frame))
  })

  test.each([
    [44_100, 48_000],
    [8000, 48_000],
    [16_000, 97_000],
    [0, 16_000],
    [Number.NaN, 16_000],
  ])('rejects %d → %d with both rates in the message', (from, to) => {
    expect(() => createResampler(from, to)).toThrow(RangeError)
    expect(() => createResampler(from, to)).toThrow(`cannot resample ${from} to ${to} Hz`)
    expect(() => createResampler(from, to)).toThrow('8000, 11025, 12000')
  })
})
