import { describe, expect, test } from 'vitest'
import { decodeMulaw, encodeMulaw } from '../../../src/transcode/g711.ts'
import { rms } from '../../../src/transcode/level.ts'
import { bytesOf, samplesOf } from '../../../src/transcode/pcm.ts'
import { createResampler, RATES } from '../../../src/transcode/resample/resampler.ts'
import { pipe, which } from '../../support/transcode/command.ts'
import { decibels, fitTone, sine, snr, voice } from '../../support/transcode/signal.ts'

const PEAK = 30_000

/** The output for a tone, once the filter is full. */
function through(from: number, to: number, hz: number, peak = PEAK): Int16Array {
  const out = createResampler(from, to).process(sine(hz, from, from / 4, peak))
  return out.slice(Math.ceil(to / 100))
}

function sweep(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step)
}

describe('tones within both rates pass', () => {
  const telephone = sweep(100, 3400, 60)
  const wide = RATES.filter(rate => rate !== 16_000 && rate !== 8000)
  const carried = (rate: number) => sweep(107, (Math.min(rate, 16_000) / 2) * 0.88, 293)
  const cases: [number, number, number[]][] = [
    [8000, 16_000, telephone],
    [16_000, 8000, telephone],
    ...wide.map((rate): [number, number, number[]] => [rate, 16_000, carried(rate)]),
    ...wide.map((rate): [number, number, number[]] => [16_000, rate, carried(rate)]),
  ]
  test.each(cases)('%i → %i: ripple and distortion', (from, to, hz) => {
    for (const each of hz) {
      const tone = fitTone(through(from, to, each), each, to)
      expect(Math.abs(decibels(tone.amplitude / PEAK)), `gain at ${each} Hz`).toBeLessThanOrEqual(0.01)
      expect(decibels(PEAK / Math.SQRT2 / tone.rest), `images of ${each} Hz`).toBeGreaterThanOrEqual(80)
    }
  })
})

describe('tones that would alias are removed', () => {
  const above = (from: number, to: number, band: number) =>
    sweep(to - band, from / 2 - 10, 97).filter(hz => Math.abs(hz - Math.round(hz / to) * to) <= band)
  test.each([
    ...RATES.filter(rate => rate > 8000).map(rate => [rate, 8000, above(rate, 8000, 3400)] as const),
    ...RATES.filter(rate => rate > 16_000).map(rate => [rate, 16_000, above(rate, 16_000, 7200)] as const),
  ])('%i → %i', (from, to, hz) => {
    expect(hz.length).toBeGreaterThan(5)
    for (const each of hz) {
      expect(
        decibels(PEAK / Math.SQRT2 / rms(through(from, to, each))),
        `alias of ${each} Hz`,
      ).toBeGreaterThanOrEqual(80)
    }
  })
})

describe('the delay is as reported', () => {
  test.each([
    ...RATES.map(rate => [rate, 16_000] as const),
    ...RATES.map(rate => [16_000, rate] as const),
    ...RATES.map(rate => [rate, 8000] as const),
  ])('%i → %i', (from, to) => {
    const resampler = createResampler(from, to)
    // 100 Hz has a period of 10 ms, so the phase identifies a lag of up to 5 ms.
    const out = resampler.process(sine(100, from, from / 2, PEAK, 0))
    const { phase } = fitTone(out.subarray(to / 25), 100, to)
    const measured = -(phase / (2 * Math.PI * 100)) * 1000
    expect(measured).toBeCloseTo(resampler.delayMs, 3)
    expect(resampler.delayMs).toBeLessThanOrEqual(2.5)
  })
})

describe.skipIf(!which('sox'))('sox, very high quality, agrees', () => {
  test.each([
    [8000, 16_000],
    [16_000, 8000],
    [24_000, 16_000],
    [22_050, 16_000],
    [44_100, 16_000],
    [48_000, 16_000],
    [16_000, 24_000],
    [16_000, 48_000],
  ])('%i → %i', (from, to) => {
    const resampler = createResampler(from, to)
    const input = voice(from, 1)
    const ours = resampler.process(input)
    const delay = (resampler.delayMs * to) / 1000
    // With half the rate, half an output sample of delay is one input sample.
    const early = delay % 1 === 0 ? 0 : 1
    const delayed = new Int16Array(input.length + early)
    delayed.set(input, early)
    const raw = ['-t', 'raw', '-e', 'signed', '-b', '16', '-c', '1']
    const theirs = samplesOf(
      pipe(
        'sox',
        ['-D', ...raw, '-r', `${from}`, '-', ...raw, '-r', `${to}`, '-', 'rate', '-v'],
        bytesOf(delayed),
      ),
    )
    const aligned = ours.subarray(Math.floor(delay))
    expect(snr(theirs, aligned, 400, aligned.length - 400)).toBeGreaterThan(65)
  })
})

describe('over the phone line', () => {
  const HZ = [404, 1004, 2004, 3004, 3404]
  const line = (pcm: Int16Array) => {
    const bytes = new Uint8Array(pcm.length)
    encodeMulaw(pcm, bytes)
    decodeMulaw(bytes, pcm)
    return pcm
  }
  const steady = (pcm: Int16Array, rate: number) => pcm.slice(rate / 10, rate)

  test.each(HZ)('%i Hz loses at most 0.1 dB on the way in, and back', hz => {
    const heard = line(sine(hz, 8000, 8800, 10_000))
    const alone = fitTone(steady(heard, 8000), hz, 8000).sinad
    const inside = createResampler(8000, 16_000).process(heard)
    expect(fitTone(steady(inside, 16_000), hz, 16_000).sinad).toBeGreaterThanOrEqual(alone - 0.1)
    const back = createResampler(16_000, 8000).process(inside)
    expect(fitTone(steady(back, 8000), hz, 8000).sinad).toBeGreaterThanOrEqual(alone - 0.1)
  })

  test.each(HZ)('%i Hz loses at most 0.1 dB on the way out', hz => {
    // The same tone at the same phases as on the line, so that µ-law rounds the same samples.
    const down = createResampler(16_000, 8000)
    const out = line(down.process(sine(hz, 16_000, 17_600, 10_000)).slice())
    const phase = 0.2 - (2 * Math.PI * hz * down.delayMs) / 1000
    const alone = fitTone(steady(line(sine(hz, 8000, 8800, 10_000, phase)), 8000), hz, 8000).sinad
    expect(fitTone(steady(out, 8000), hz, 8000).sinad).toBeGreaterThanOrEqual(alone - 0.1)
  })
})
