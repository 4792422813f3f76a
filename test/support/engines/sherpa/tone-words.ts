/** A language of tones for tiny models: each word is one pitch, so the audio of a test determines the text. */
import { sine } from '../../transcode/tone.ts'

export const WORDS = ['ONE', 'TWO', 'THREE', 'FOUR', 'FIVE', 'SIX', 'SEVEN', 'EIGHT'] as const
export type ToneWord = Lowercase<(typeof WORDS)[number]>

/** Mel bins of the features of Kaldi: triangles from 20 to 7600 Hz. */
export const BINS = 80
const melOf = (hz: number) => 1127 * Math.log(1 + hz / 700)
const hzOf = (mel: number) => 700 * (Math.exp(mel / 1127) - 1)

/** Mel bin of a word by its number; 80 ms of context and eight bins keep the words apart. */
export function binOf(word: number): number {
  return 12 + 8 * word
}

/** Pitch of a word by its number (Hz). */
export function pitchOf(word: number): number {
  return hzOf(melOf(20) + ((binOf(word) + 1) * (melOf(7_600) - melOf(20))) / (BINS + 1))
}

/** Length of a word and of the gap after it (ms). */
const WORD_MS = 250
const GAP_MS = 100

/** The audio of words at 16 kHz: `tones('one two')`. */
export function tones(text: string): Int16Array {
  const words = text.split(' ')
  const pcm = new Int16Array(words.length * (WORD_MS + GAP_MS) * 16)
  for (const [at, word] of words.entries()) {
    const number = WORDS.findIndex(each => each.toLowerCase() === word)
    if (number < 0) throw new RangeError(`the words are ${WORDS.join(', ')}, not ${word}`)
    pcm.set(sine(pitchOf(number), WORD_MS, 9_000), at * (WORD_MS + GAP_MS) * 16)
  }
  return pcm
}
