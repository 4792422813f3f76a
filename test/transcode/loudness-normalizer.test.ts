import { describe, expect, test } from 'vitest'
import { peak } from '../../src/transcode/level.ts'
import { LoudnessNormalizer } from '../../src/transcode/loudness-normalizer.ts'
import { concat } from '../../src/transcode/pcm.ts'
import { noise, sine } from '../support/transcode/signal.ts'
import {
  louder,
  recording,
  sharpness,
  speechDb,
  steepest,
  vowel,
} from '../support/transcode/speech-signal.ts'

/** Passes one utterance through `leveler`, in slices like those of a decoder. */
function level(leveler: LoudnessNormalizer, pcm: Int16Array, slice = 16 * 576): Int16Array {
  const out = pcm.slice()
  leveler.begin()
  for (let at = 0; at < out.length; at += slice) leveler.process(out.subarray(at, at + slice))
  return out
}

describe('the level of a voice', () => {
  test.each([-20, -26, -16])('is normalized to %i dBFS, from loud or quiet speech', target => {
    const levels: number[] = []
    for (const db of [-31, -25, -18, -12, -6]) {
      if (Math.abs(target - db) > 11) continue
      const leveler = new LoudnessNormalizer(target)
      const said = [2, 3, 4, 5].map(number => louder(recording(number), db - speechDb(recording(number))))
      const heard = said.map(pcm => level(leveler, pcm))
      // From the second utterance on, the level of the voice is known.
      levels.push(speechDb(concat(heard.slice(1))))
      for (const each of heard) expect(Math.abs(speechDb(each) - target)).toBeLessThan(4)
    }
    expect(Math.max(...levels) - Math.min(...levels)).toBeLessThan(0.5)
    for (const each of levels) expect(Math.abs(each - target)).toBeLessThan(1.5)
  })

  test('is correct half a second into the first utterance', () => {
    for (const db of [-30, -20, -10]) {
      const pcm = louder(vowel(120, 3_000), db - speechDb(vowel(120, 3_000)))
      const out = level(new LoudnessNormalizer(-20), pcm)
      expect(Math.abs(speechDb(out.subarray(8_000)) + 20)).toBeLessThan(1.5)
    }
  })

  test('adapts when another voice takes over', () => {
    const leveler = new LoudnessNormalizer(-20)
    const soft = louder(recording(3), -27 - speechDb(recording(3)))
    const loud = louder(recording(4), -12 - speechDb(recording(4)))
    level(leveler, soft)
    level(leveler, soft)
    const out = level(leveler, loud)
    expect(Math.abs(speechDb(out.subarray(16_000)) + 20)).toBeLessThan(1.5)
  })

  test('changes by at most 12 dB', () => {
    const leveler = new LoudnessNormalizer(-20)
    for (const db of [-45, -38]) {
      const pcm = louder(vowel(120, 3_000), db - speechDb(vowel(120, 3_000)))
      const out = level(leveler, pcm)
      expect(speechDb(out) - speechDb(pcm)).toBeLessThanOrEqual(12.1)
    }
    expect(Math.abs(leveler.gainDb)).toBeLessThanOrEqual(12)
    const shout = louder(vowel(120, 3_000), 12)
    const quiet = new LoudnessNormalizer(-40)
    expect(speechDb(shout) - speechDb(level(quiet, shout))).toBeLessThanOrEqual(12.6)
  })

  test('keeps silence, and does not raise room noise', () => {
    const leveler = new LoudnessNormalizer(-20)
    expect(peak(level(leveler, new Int16Array(32_000)))).toBe(0)
    const room = Int16Array.from(noise(32_000), byte => (byte - 128) / 4)
    expect(peak(level(leveler, room))).toBeLessThanOrEqual(40)
  })

  test('keeps noise after speech at a constant level for two seconds', () => {
    const leveler = new LoudnessNormalizer(-20)
    const room = Int16Array.from(noise(48_000), byte => (byte - 128) / 2)
    const out = level(leveler, concat([louder(recording(4), -6), room]))
    const after = out.subarray(-48_000)
    expect(Math.abs(speechDb(after.subarray(4_000, 12_000)) - speechDb(after.subarray(-8_000)))).toBeLessThan(
      1,
    )
  })
})

describe('normalized audio', () => {
  test('has no clicks and keeps its length', () => {
    for (const db of [-9, 0, 8]) {
      const pcm = louder(recording(1), db)
      const out = level(new LoudnessNormalizer(-20), pcm)
      expect(out.length).toBe(pcm.length)
      const from = Array.from({ length: out.length / 80 }, (_, n) => n * 80)
      // Relative to the maximum possible level.
      expect(sharpness(out, louder(pcm, 12), from)).toBeLessThan(1.05)
    }
  })

  test('stays below full scale by compression, without clipping', () => {
    const leveler = new LoudnessNormalizer(-10)
    const soft = louder(vowel(120, 2_000), -12)
    level(leveler, soft)
    // A sudden shout after a quiet voice is briefly far too loud.
    const out = level(leveler, sine(440, 16_000, 16_000, 30_000))
    expect(peak(out)).toBeLessThan(32_767)
    let flat = 0
    for (let i = 1; i < out.length; i++) if (Math.abs(out[i]!) > 32_000 && out[i] === out[i - 1]) flat++
    expect(flat).toBeLessThan(out.length / 100)
    expect(steepest(out)).toBeLessThan(25_000)
  })

  test('can be copied: both continue from the same state, independently', () => {
    const first = new LoudnessNormalizer(-20)
    level(first, louder(recording(4), -9))
    const copy = first.copy()
    expect(copy.gainDb).toBe(first.gainDb)
    const next = recording(5)
    const expected = level(first, next)
    level(first, louder(next, 6))
    expect(level(copy, next)).toEqual(expected)
  })

  test.each([-41, -9, 0, Number.NaN])('rejects a target of %f LUFS', db => {
    expect(() => new LoudnessNormalizer(db)).toThrow(/between -40 and -10 LUFS, got/)
  })
})
