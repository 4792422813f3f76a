import { describe, expect, test } from 'vitest'
import { HeardTranslations } from '../../src/cli/heard-translations.ts'
import { sine } from '../support/transcode/tone.ts'

const LINE = 8_000
const MESSAGE = 160

/** Two words of one second, each followed by a second of silence, at the line's rate. */
function speech(): Int16Array {
  const pcm = new Int16Array(4 * LINE)
  pcm.set(sine(400, 1_000, 8_000, LINE), 0)
  pcm.set(sine(400, 1_000, 8_000, LINE), 2 * LINE)
  return pcm
}

/** 20 ms messages from `from` on for `ms`. */
function hear(answers: HeardTranslations, from: number, ms: number): void {
  for (let at = 0; at < ms; at += 20) answers.media(from + at, MESSAGE)
}

describe('the latency of a translation', () => {
  test('is measured from the end of each stretch of speech to the first audio of its translation', () => {
    const answers = new HeardTranslations(speech())
    answers.speaking(10_000)
    hear(answers, 11_600, 500)
    hear(answers, 13_400, 500)
    expect(answers.latenciesMs).toHaveLength(2)
    // The words end at 1 s and 3 s.
    expect(answers.latenciesMs[0]).toBeCloseTo(600, -1.5)
    expect(answers.latenciesMs[1]).toBeCloseTo(400, -1.5)
    expect(answers.heardMs).toBe(1_000)
  })

  test('is counted once for a translation that arrives in pieces, early or with short gaps', () => {
    const answers = new HeardTranslations(speech())
    answers.speaking(0)
    answers.media(1_500, 8 * 300)
    answers.media(1_510, 8 * 300)
    // Runs out at 2100; the next audio follows 300 ms later.
    answers.media(2_400, 8 * 100)
    expect(answers.latenciesMs).toHaveLength(1)
  })

  test('ignores audio received before any speech was sent', () => {
    const answers = new HeardTranslations(speech())
    hear(answers, 0, 100)
    answers.speaking(1_000)
    hear(answers, 1_500, 100)
    expect(answers.latenciesMs).toEqual([])
    expect(answers.overlapping).toBe(1)
    expect(answers.heardMs).toBe(200)
  })

  test('is empty for silence', () => {
    const answers = new HeardTranslations(new Int16Array(LINE))
    answers.speaking(0)
    hear(answers, 2_000, 100)
    expect(answers.latenciesMs).toEqual([])
  })

  test('detects the end of speech that lasts until the end of the file', () => {
    const answers = new HeardTranslations(sine(400, 500, 8_000, LINE))
    answers.speaking(0)
    hear(answers, 700, 100)
    expect(answers.latenciesMs[0]).toBeCloseTo(200, -1.5)
  })
})
