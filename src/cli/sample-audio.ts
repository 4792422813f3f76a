import { readdir, readFile } from 'node:fs/promises'
import { languageId } from '../common/language.ts'
import { audioKind } from '../transcode/container/audio-kind.ts'
import { concat, SAMPLE_RATE } from '../transcode/pcm.ts'
import { createResampler } from '../transcode/resample/resampler.ts'
import { decodeSpeech } from '../transcode/speech-decoder.ts'
import { mono, readWav } from '../transcode/wav.ts'
import { RECORDINGS } from './help-examples.ts'

/** Sample rate of a phone line (Hz). */
export const LINE_RATE = 8_000
/** Maximum length of a file: an hour. */
const MOST_SECONDS = 3_600

/** Reads a WAV or MP3 file as mono samples at 8 kHz. Throws `WavError` for other files. */
export async function lineAudio(path: string): Promise<Int16Array> {
  const bytes = await readFile(path)
  if (audioKind(bytes) === 'mp3') return toLine(await decodeSpeech(bytes, MOST_SECONDS), SAMPLE_RATE)
  const wav = readWav(bytes)
  return toLine(mono(wav), wav.rate)
}

/**
 * Reads a WAV file as mono samples at 16 kHz, for channels with a higher sample rate. Throws `WavError` for other
 * files.
 */
export async function wideAudio(path: string): Promise<Int16Array> {
  const wav = readWav(await readFile(path))
  const resampler = createResampler(wav.rate, SAMPLE_RATE)
  return concat([resampler.process(mono(wav)).slice(), resampler.flush()])
}

/** Returns the bundled sentences, in order (`recordings/README.md`). */
export async function bundledSentences(): Promise<string[]> {
  const names = await readdir(RECORDINGS)
  return names
    .filter(name => name.endsWith('.wav'))
    .sort()
    .map(name => RECORDINGS + name)
}

/** Returns the bundled sentence for single trials: its text, and its samples at 16 kHz. */
export async function sampleSentence() {
  const pcm = await wideAudio(`${RECORDINGS}sense-and-sensibility-5.wav`)
  return { language: languageId('en-us'), text: 'He might even have been made amiable himself.', pcm }
}

/** Concatenates `pieces`, each followed by `pauseMs` of silence, at `LINE_RATE`. */
export function withPauses(pieces: readonly Int16Array[], pauseMs: number): Int16Array {
  const pause = new Int16Array((pauseMs * LINE_RATE) / 1000)
  return concat(pieces.flatMap(piece => [piece, pause]))
}

function toLine(pcm: Int16Array, rate: number): Int16Array {
  const resampler = createResampler(rate, LINE_RATE)
  return concat([resampler.process(pcm).slice(), resampler.flush()])
}
