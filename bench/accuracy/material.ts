import { existsSync, readFileSync } from 'node:fs'
import { decodeMulaw, encodeMulaw } from '../../src/transcode/g711.ts'
import { createResampler } from '../../src/transcode/resample/resampler.ts'
import { mono, readWav } from '../../src/transcode/wav.ts'

/** Speech with its transcript. */
export interface Spoken {
  readonly words: string
  /** 16 kHz */
  readonly pcm: Int16Array
}

/** Transmission of a voice. */
export const LINES: Readonly<Record<string, (pcm: Int16Array) => Int16Array>> = {
  '16 kHz': pcm => pcm,
  'phone (µ-law, 8 kHz)': byTelephone,
}

const RECORDINGS = new URL('../../recordings/', import.meta.url)
const CARDS = '/usr/share/pocketsphinx/test/data/cards'

/** The five sentences of the bundled recordings. */
export function sentences(): Spoken[] {
  const list = JSON.parse(readFileSync(new URL('transcripts.json', RECORDINGS), 'utf8')) as {
    file: string
    words: string
  }[]
  return list.map(({ file, words }) => ({ words, pcm: wav(new URL(file, RECORDINGS)) }))
}

/** The five playing cards of the recognizer's test data, and their grammar; undefined if it is not installed. */
export function cards(): { spoken: Spoken[]; grammar: string } | undefined {
  const grammar = `${CARDS}/cards.gram`
  if (!existsSync(grammar)) return undefined
  const lines = readFileSync(`${CARDS}/cards.transcription`, 'utf8').matchAll(
    /<s>\s*(.*?)\s*<\/s>\s*\((\d+)\)/g,
  )
  const spoken = Array.from(lines, ([, words = '', file]) => ({ words, pcm: wav(`${CARDS}/${file}.wav`) }))
  return { spoken, grammar }
}

/** A room without a speaker for `ms`: very quiet noise, always the same. */
export function pause(ms: number): Int16Array {
  let seed = 1
  return Int16Array.from({ length: ms * 16 }, () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff
    return Math.round((seed / 0x7fff_ffff - 0.5) * 12)
  })
}

export function joined(...parts: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function wav(path: string | URL): Int16Array {
  return mono(readWav(readFileSync(path)))
}

/** As over a call: 8 kHz, G.711, and back. */
function byTelephone(pcm: Int16Array): Int16Array {
  const narrow = createResampler(16_000, 8_000).process(pcm).slice()
  const mulaw = new Uint8Array(narrow.length)
  encodeMulaw(narrow, mulaw)
  decodeMulaw(mulaw, narrow)
  return createResampler(8_000, 16_000).process(narrow).slice()
}
