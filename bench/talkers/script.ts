import { readFileSync } from 'node:fs'
import { mono, readWav } from '../../src/transcode/wav.ts'

/** Speech of one talker: sentences read by a human voice, pauses between, and the exact end of each sentence. */
export interface Script {
  /** 16 kHz. */
  readonly pcm: Int16Array
  /** End of each sentence in milliseconds of the script. */
  readonly ends: readonly number[]
}

const PAUSE_MS = 1_600
const BLOCK = 160
const LOUD_RMS = 250

/** The five bundled sentences, each followed by a pause. */
export function script(): Script {
  const parts: Int16Array[] = [room(500)]
  const ends: number[] = []
  let samples = parts[0]!.length
  for (const number of [2, 5, 1, 3, 4]) {
    const path = new URL(`../../recordings/sense-and-sensibility-${number}.wav`, import.meta.url)
    const pcm = mono(readWav(readFileSync(path)))
    ends.push((samples + spokenSamples(pcm)) / 16)
    parts.push(pcm, room(PAUSE_MS))
    samples += pcm.length + PAUSE_MS * 16
  }
  const pcm = new Int16Array(samples)
  let at = 0
  for (const part of parts) {
    pcm.set(part, at)
    at += part.length
  }
  return { pcm, ends }
}

/** Number of samples up to the last loud 10 ms. */
function spokenSamples(pcm: Int16Array): number {
  for (let end = pcm.length; end > BLOCK; end -= BLOCK) {
    const block = pcm.subarray(end - BLOCK, end)
    const rms = Math.sqrt(block.reduce((sum, sample) => sum + sample * sample, 0) / BLOCK)
    if (rms > LOUD_RMS) return end
  }
  return pcm.length
}

/** A quiet room: very quiet noise. */
function room(ms: number): Int16Array {
  return Int16Array.from({ length: ms * 16 }, () => Math.round((Math.random() - 0.5) * 12))
}
