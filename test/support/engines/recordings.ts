import { readFileSync } from 'node:fs'
import { mono, readWav } from '../../../src/transcode/wav.ts'

/** One of the five sentences read by a human voice, 16 kHz: 1 to 5. */
export function recording(number: 1 | 2 | 3 | 4 | 5): Int16Array {
  const path = new URL(`../../../recordings/sense-and-sensibility-${number}.wav`, import.meta.url)
  const wav = readWav(readFileSync(path))
  if (wav.rate !== 16_000) throw new RangeError(`the recordings have 16000 Hz, this one ${wav.rate}`)
  return mono(wav)
}

/** Background noise for `ms`: hardly audible, always the same. */
export function pause(ms: number): Int16Array {
  let seed = 1
  return Int16Array.from({ length: ms * 16 }, () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff
    return Math.round((seed / 0x7fff_ffff - 0.5) * 12)
  })
}

export function joined(...parts: Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
