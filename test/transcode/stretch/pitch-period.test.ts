import { describe, expect, test } from 'vitest'
import { LookAhead } from '../../../src/transcode/stretch/time-stretch.ts'
import { findPitchPeriod } from '../../../src/transcode/stretch/voice-analysis.ts'
import { noise, sine } from '../../support/transcode/signal.ts'
import { recordings, vowel } from '../../support/transcode/speech-signal.ts'

/** Reference: compares every sample at every position. */
function exhaustive(pcm: Int16Array, from: number, window: number, least: number, most: number): number {
  let best = -1
  for (let after = least; after <= most; after++) {
    let [common, here, there] = [0, 0, 0]
    for (let i = from; i < from + window; i++) {
      common += pcm[i]! * pcm[i + after]!
      here += pcm[i]! ** 2
      there += pcm[i + after]! ** 2
    }
    best = Math.max(best, common / Math.sqrt(here * there))
  }
  return best
}

describe('pitch period detection', () => {
  const found = { after: 0, correlation: 0 }

  test.each([80, 125, 200, 320])('finds whole periods of a voice at %i Hz', hz => {
    findPitchPeriod(vowel(hz, 500), 2_000, 240, 40, 240, found)
    const periods = found.after / (16_000 / hz)
    expect(Math.abs(periods - Math.round(periods))).toBeLessThan(0.02)
    expect(found.correlation).toBeGreaterThan(0.98)
  })

  test('finds nearly the best match in recorded speech, mostly the best itself', () => {
    const pcm = recordings()
    let worst = 0
    let same = 0
    let places = 0
    for (let from = 4_000; from < pcm.length - 1_000; from += 3_170) {
      findPitchPeriod(pcm, from, 240, 40, 240, found)
      const missed = exhaustive(pcm, from, 240, 40, 240) - found.correlation
      expect(missed).toBeGreaterThan(-1e-9)
      // Without any similarity, the position does not matter.
      if (found.correlation + missed > 0.6) worst = Math.max(worst, missed)
      if (missed < 0.01) same++
      places++
    }
    expect(worst).toBeLessThan(0.15)
    expect(same / places).toBeGreaterThan(0.75)
  })

  test('silence matches only silence', () => {
    findPitchPeriod(new Int16Array(600), 0, 240, 40, 240, found)
    expect(found.correlation).toBe(1)
    const half = new Int16Array(600)
    half.set(sine(300, 16_000, 360), 240)
    findPitchPeriod(half, 0, 240, 200, 240, found)
    expect(found.correlation).toBe(-1)
  })
})

describe('the look-ahead buffer', () => {
  test('keeps the order of samples after any amount of audio', () => {
    const ahead = new LookAhead()
    const out = new Int16Array(300)
    let next = 0
    let taken = 0
    for (let n = 0; n < 500; n++) {
      const piece = Int16Array.from({ length: 1 + ((n * 37) % 400) }, () => next++ % 30_000)
      if (piece.length <= ahead.room) ahead.append(piece)
      else next -= piece.length
      const count = ahead.take(out, 0, 1 + ((n * 53) % 300))
      const wanted = Int16Array.from({ length: count }, () => taken++ % 30_000)
      expect(out.slice(0, count)).toEqual(wanted)
    }
    expect(ahead.gone).toBe(taken)
    expect(ahead.length).toBe(next - taken)
  })

  test('crossfades without a change of level, for similar and dissimilar audio', () => {
    const ahead = new LookAhead()
    ahead.append(sine(400, 16_000, 1_000, 8_000))
    const out = new Int16Array(600)
    ahead.leaveOut(200, 240, 1)
    ahead.take(out, 0, 600)
    const wanted = sine(400, 16_000, 600, 8_000)
    for (let i = 0; i < 600; i++) expect(Math.abs(out[i]! - wanted[i]!)).toBeLessThanOrEqual(1)
    ahead.clear()
    const hiss = Int16Array.from(noise(2_000), byte => (byte - 128) * 60)
    ahead.append(hiss)
    ahead.leaveOut(1_000, 800, 0)
    const mixed = new Int16Array(800)
    ahead.take(mixed, 0, 800)
    const power = (pcm: Int16Array) => pcm.reduce((sum, sample) => sum + sample ** 2, 0) / pcm.length
    expect(Math.abs(10 * Math.log10(power(mixed) / power(hiss)))).toBeLessThan(0.7)
  })

  test('rejects samples beyond its room and cuts beyond its content', () => {
    const ahead = new LookAhead()
    ahead.append(new Int16Array(4_000))
    expect(() => ahead.append(new Int16Array(97))).toThrow('room for 96 samples, got 97')
    expect(() => ahead.leaveOut(3_900, 101, 0)).toThrow('needs 4001, got 4000')
  })
})
