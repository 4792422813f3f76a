import { concat } from '../../../../src/transcode/pcm.ts'
import { quiet, sine } from '../../transcode/tone.ts'
import { TONE_WORDS } from './tone-ears.ts'

/** The words as a caller says them: 16 kHz, each for `wordMs`, with `pauseMs` before and after. */
export function toneSpeech(count = 2, wordMs = 600, pauseMs = 1_500): Int16Array {
  return concat([
    quiet(200),
    ...TONE_WORDS.slice(0, count).flatMap(({ hz }) => [sine(hz, wordMs), quiet(pauseMs)]),
  ])
}
