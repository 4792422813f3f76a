import { expect, test } from 'vitest'
import { ANSWER_MS, music, voicesOf, withoutPauses } from '../../bench/legs/voices.ts'
import { rms } from '../../src/transcode/level.ts'
import { FRAME_SAMPLES, SAMPLE_RATE } from '../../src/transcode/pcm.ts'

/** Longest run of frames of 20 ms below −40 dBFS, in milliseconds, if `pcm` is looped. */
function longestPauseMs(pcm: Int16Array): number {
  let [longest, pause] = [0, 0]
  const frames = Math.floor(pcm.length / FRAME_SAMPLES)
  for (let n = 0; n < 2 * frames; n++) {
    const at = (n % frames) * FRAME_SAMPLES
    pause = rms(pcm.subarray(at, at + FRAME_SAMPLES)) < 100 ? pause + 20 : 0
    longest = Math.max(longest, pause)
  }
  return longest
}

function tone(ms: number): Int16Array {
  return Int16Array.from({ length: ms * 16 }, (_, i) => Math.round(8_000 * Math.sin(i / 5)))
}

function silence(ms: number): Int16Array {
  return new Int16Array(ms * 16)
}

function joined(...parts: Int16Array[]): Int16Array {
  return Int16Array.from(parts.flatMap(part => Array.from(part)))
}

test('keeps the pauses of recorded speech', () => {
  expect(longestPauseMs(voicesOf('speech').said!)).toBeGreaterThan(100)
})

test('leaves no pause above 100 ms in continuous talk', () => {
  const { said } = voicesOf('talk')
  expect(longestPauseMs(said!)).toBeLessThanOrEqual(100)
  expect(said!.length).toBeGreaterThan(10 * SAMPLE_RATE)
})

test('shortens pauses to 100 ms, and leaves out the one before the loop starts again', () => {
  const pcm = joined(silence(300), tone(200), silence(80), tone(200), silence(500))
  expect(withoutPauses(pcm).length / 16).toBe(200 + 80 + 200 + 100)
})

test('plays music without pauses, and without clicks between chords', () => {
  const pcm = music()
  expect(longestPauseMs(pcm)).toBe(0)
  for (let at = 0; at < pcm.length; at += 2 * SAMPLE_RATE)
    expect(Math.abs(pcm[at]! - pcm.at(at - 1)!)).toBeLessThan(2_000)
})

test('says nothing in the idle load', () => {
  expect(voicesOf('idle').said).toBeUndefined()
})

test('answers with words that no phone says', () => {
  const { said, answer } = voicesOf('speech')
  expect(answer.length).toBe(ANSWER_MS * 16)
  const words = answer.subarray(8_000, 8_000 + FRAME_SAMPLES)
  const found = said!.findIndex((_, at) => words.every((sample, i) => said![at + i] === sample))
  expect(found).toBe(-1)
})
