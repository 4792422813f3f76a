import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { concat, SAMPLE_RATE } from '../src/transcode/pcm.ts'
import { mono, readWav } from '../src/transcode/wav.ts'

const RECORDINGS = fileURLToPath(new URL('../recordings', import.meta.url))
const LOUD = 2000

/** Recorded speech, 16 kHz mono; without recordings, noise with the rhythm of syllables. */
export function speech(): Int16Array {
  const parts = sentences()
  return parts.length === 0 ? babble(10) : concat(parts)
}

/** Speech of two people who never say the same: the last recording is the second person's. */
export function twoVoices(): [Int16Array, Int16Array] {
  const first = sentences()
  const second = first.pop()
  return second && first.length > 0 ? [concat(first), second] : [babble(10), babble(3, 2)]
}

/** `ms` of `pcm`, starting at a loud sample. */
export function sentence(pcm: Int16Array, ms: number): Int16Array {
  const start = pcm.findIndex(sample => Math.abs(sample) > LOUD)
  return pcm.slice(Math.max(0, start), Math.max(0, start) + (ms * SAMPLE_RATE) / 1000)
}

function sentences(): Int16Array[] {
  const parts = files().map(file => readWav(readFileSync(`${RECORDINGS}/${file}`)))
  return parts.filter(wav => wav.rate === SAMPLE_RATE).map(mono)
}

function files(): string[] {
  try {
    return readdirSync(RECORDINGS)
      .filter(file => file.endsWith('.wav'))
      .sort()
  } catch {
    return []
  }
}

function babble(seconds: number, start = 1): Int16Array {
  const pcm = new Int16Array(seconds * SAMPLE_RATE)
  let seed = start
  for (let i = 0; i < pcm.length; i++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff
    const syllable = Math.max(0, Math.sin((2 * Math.PI * 4 * i) / SAMPLE_RATE))
    pcm[i] = Math.round(syllable * 6000 * (seed / 0x4000_0000 - 1))
  }
  return pcm
}
