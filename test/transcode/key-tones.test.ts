import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isDtmfTone } from '../../src/transcode/dtmf-detector.ts'
import { decodeMulaw, encodeMulaw } from '../../src/transcode/g711.ts'
import { createResampler } from '../../src/transcode/resample/resampler.ts'
import { readWav } from '../../src/transcode/wav.ts'

const ROWS = [697, 770, 852, 941]
const COLUMNS = [1209, 1336, 1477, 1633]
const KEYS = ROWS.flatMap(row => COLUMNS.map(column => [row, column] as const))
const RATE = 16_000
const FRAME = 320

/** Two tones, the second louder by `twistDb`; frequencies off by a factor. */
function tone(
  [row, column]: readonly [number, number],
  { ms = 200, peak = 6_000, twistDb = 0, off = 1 } = {},
) {
  const second = peak * 10 ** (twistDb / 20)
  return Int16Array.from({ length: ms * 16 }, (_, n) => {
    const at = (hz: number) => Math.sin((2 * Math.PI * hz * off * n) / RATE)
    return Math.round(peak * at(row) + second * at(column))
  })
}

/** The share of complete frames detected as DTMF. */
function share(pcm: Int16Array): number {
  let taken = 0
  let all = 0
  for (let at = 0; at + FRAME <= pcm.length; at += FRAME, all++)
    if (isDtmfTone(pcm.subarray(at, at + FRAME))) taken++
  return taken / all
}

/** The audio of a phone line: µ-law at 8 kHz, and back. */
function overTheLine(pcm: Int16Array): Int16Array {
  const line = createResampler(RATE, 8_000).process(pcm).slice()
  const bytes = new Uint8Array(line.length)
  encodeMulaw(line, bytes)
  decodeMulaw(bytes, line)
  return createResampler(8_000, RATE).process(line).slice()
}

describe('DTMF detection', () => {
  it.each(KEYS)('detects %i and %i Hz at any level, within the tolerances of real phones', (...key) => {
    for (const peak of [400, 3_000, 12_000]) expect(share(tone(key, { peak }))).toBe(1)
    // ITU-T Q.24: one of the tones can be several dB louder; generators are off by less than 1.5 %.
    for (const twistDb of [-6, 4]) expect(share(tone(key, { peak: 4_000, twistDb }))).toBe(1)
    for (const off of [0.993, 1.007]) expect(share(tone(key, { off }))).toBe(1)
  })

  it('detects all but the edges of a tone on a phone line', () => {
    for (const key of KEYS) expect(share(overTheLine(tone(key, { ms: 400 })))).toBeGreaterThan(0.85)
  })

  it('ignores single tones, pairs from one group, noise and silence', () => {
    for (const hz of [400, 697, 1_000, 1_209, 1_477, 2_000]) expect(share(tone([hz, 0]))).toBe(0)
    for (const pair of [
      [697, 852],
      [1_209, 1_477],
      [440, 480],
      [350, 440],
      [480, 620],
      // In every fourth sample alone, these look like the key 1.
      [4_000 - 697, 4_000 - 1_209],
      [697, 4_000 - 1_209],
    ] as const)
      expect(share(tone(pair))).toBe(0)
    expect(share(new Int16Array(16_000))).toBe(0)
    let seed = 1
    const noise = Int16Array.from({ length: 160_000 }, () => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
      return (seed >> 15) - 32_768 / 2
    })
    expect(share(noise)).toBe(0)
  })

  it('ignores speech, at full bandwidth or on a phone line', () => {
    const folder = new URL('../../recordings/', import.meta.url)
    const files = readdirSync(folder).filter(name => name.endsWith('.wav'))
    expect(files.length).toBeGreaterThan(4)
    for (const name of files) {
      const { pcm, rate } = readWav(readFileSync(new URL(name, folder)))
      const voice = rate === RATE ? pcm : createResampler(rate, RATE).process(pcm).slice()
      expect(share(voice), name).toBeLessThan(0.001)
      expect(share(overTheLine(voice)), name).toBeLessThan(0.001)
    }
  })
})
