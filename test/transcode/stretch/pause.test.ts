import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { peak } from '../../../src/transcode/level.ts'
import { concat, FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { TimeStretcher } from '../../../src/transcode/stretch/time-stretch.ts'
import { noise } from '../../support/transcode/signal.ts'
import { recordings, vowel } from '../../support/transcode/speech-signal.ts'

/** Noise of this peak. */
function room(ms: number, loud: number): Int16Array {
  return Int16Array.from(noise(ms * 16, ms + loud), byte => Math.round(((byte - 128) / 128) * loud))
}

function trimmed(pcm: Int16Array): Int16Array {
  let at = 0
  const stretch = new TimeStretcher(() => {
    const frame = pcm.subarray(at, at + FRAME_SAMPLES)
    at += frame.length
    return frame.length > 0 ? frame : undefined
  })
  stretch.trimming = true
  const out: Int16Array[] = []
  for (;;) {
    const frame = new Int16Array(FRAME_SAMPLES)
    const count = stretch.read(frame)
    out.push(frame.subarray(0, count))
    if (count < frame.length) return concat(out)
  }
}

/** Lengths of the pauses of `pcm` (ms): intervals without a sample above `loud`, 20 ms and more. */
function pauses(pcm: Int16Array, loud: number): number[] {
  const found: number[] = []
  let quiet = 0
  for (const sample of [...pcm, 32_767]) {
    if (Math.abs(sample) <= loud) quiet++
    else {
      if (quiet >= 320) found.push(quiet / 16)
      quiet = 0
    }
  }
  return found
}

const word = vowel(120, 400)

describe('pauses', () => {
  test.each([
    ['digital silence', 0],
    ['a quiet room', 60],
  ])('of any length become 120 ms, shorter ones stay, in %s', (_what, loud) => {
    for (const ms of [0, 40, 100, 120, 135, 150, 200, 300, 1_000, 5_000]) {
      const [pause] = pauses(trimmed(concat([word, room(ms, loud), word])), Math.max(400, loud))
      const wanted = pauses(concat([word, room(ms, loud), word]), Math.max(400, loud))[0] ?? 0
      if (wanted <= 140) expect(pause ?? 0).toBe(wanted)
      else {
        expect(pause).toBeGreaterThanOrEqual(120)
        expect(pause).toBeLessThanOrEqual(155)
      }
    }
  })

  test('that are not really quiet stay unchanged', () => {
    for (const loud of [800, 2_000]) {
      const pcm = concat([word, room(500, loud), word])
      expect(trimmed(pcm)).toEqual(pcm)
    }
  })

  test('before any speech are trimmed only if they are completely silent', () => {
    expect(trimmed(concat([new Int16Array(8_000), word])).length).toBeLessThan(word.length + 130 * 16)
    const pcm = concat([room(500, 300), word])
    expect(trimmed(pcm)).toEqual(pcm)
  })

  test('are the only changes: speech stays identical, including quiet words', () => {
    const soft = word.map(sample => sample / 10)
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        (gaps, softly) => {
          const said = gaps.flatMap((ms, n) => [softly && n % 2 === 1 ? soft : word, new Int16Array(ms * 16)])
          const out = trimmed(concat(said))
          let from = 0
          for (const [n] of gaps.entries()) {
            const part = said[2 * n]!
            from = indexOf(out, part, from) + part.length
            expect(from).toBeGreaterThanOrEqual(part.length)
          }
        },
      ),
      { numRuns: 40, seed: 4 },
    )
  })

  test('of a recording: removes only audio far below the speech', () => {
    const pcm = recordings()
    const out = trimmed(pcm)
    expect(pcm.length - out.length).toBeGreaterThan(400 * 16)
    // All loud audio remains.
    const loud = (all: Int16Array) =>
      all.reduce((count, sample) => count + (Math.abs(sample) > 1_300 ? 1 : 0), 0)
    expect(loud(out)).toBe(loud(pcm))
    expect(peak(out)).toBe(peak(pcm))
  })
})

/** Position of `part` in `pcm`, from `from` on; −`part.length` − 1 if it is missing. */
function indexOf(pcm: Int16Array, part: Int16Array, from: number): number {
  const whole = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)
  const at = whole.indexOf(Buffer.from(part.buffer, part.byteOffset, part.byteLength), from * 2)
  return at < 0 ? -part.length - 1 : at / 2
}
