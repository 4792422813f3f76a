import { expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import type { InterpretedText } from '../../../../src/service/engines/engine.ts'
import {
  ContinuousUtterances,
  type ContinuousUtterancesOptions,
} from '../../../../src/service/engines/wire/continuous-utterances.ts'
import { sine } from '../../../support/transcode/tone.ts'

/** Utterances of a speaker who pauses, unless `quietMs` is set to 0. */
function utterances(options: Partial<ContinuousUtterancesOptions> = {}) {
  const clock = new FakeClock()
  const finals: InterpretedText[] = []
  const partials: string[] = []
  const answered: number[] = []
  const speaker = { quietMs: 1_000 }
  const all = new ContinuousUtterances({
    sink: {
      partial: ({ text, translation }) => void partials.push(`${text}|${translation}`),
      audio() {},
      final: result => void finals.push(result),
      failed() {},
    },
    clock,
    quietMs: () => speaker.quietMs,
    answered: streamMs => void answered.push(streamMs),
    ...options,
  })
  const speak = () => all.spoken(sine(700, 100, 8_000, 24_000), 24_000, 0)
  return { all, clock, finals, partials, answered, speaker, speak }
}

test('an utterance ends after a pause without more results, not before', () => {
  const { all, clock, finals, speaker } = utterances()
  all.said('Good ', 500)
  all.translated('Buenos ', 700)
  speaker.quietMs = 0
  clock.advance(2_000)
  expect(finals).toEqual([])
  speaker.quietMs = 500
  clock.advance(100)
  expect(finals).toEqual([{ utterance: 1, text: 'Good', translation: 'Buenos', startMs: 0, endMs: 700 }])
  expect(clock.pending).toBe(0)
})

test('audio counts as answered with its results', () => {
  const { all, answered } = utterances()
  all.said('one', 500)
  all.translated('uno', 600)
  expect(answered).toEqual([500, 600])
})

test('a cut keeps what was to be kept', () => {
  const { all, finals } = utterances()
  all.said('one', 500)
  all.translated('uno', 600)
  all.keep()
  all.said(' two', 1_000)
  all.translated(' dos', 1_100)
  all.cut()
  expect(finals).toMatchObject([{ text: 'one', translation: 'uno', endMs: 600 }])
  all.said('two', 1_000)
  all.cut()
  expect(finals[1]).toMatchObject({ utterance: 2, text: '', translation: '' })
})

test('nothing comes after close', () => {
  const { all, clock, finals, partials, speak } = utterances()
  all.said('one', 500)
  all.close()
  all.said(' two', 600)
  all.translated('dos', 600)
  speak()
  clock.advance(5_000)
  expect(finals).toEqual([])
  expect(partials).toEqual(['one|'])
  expect(clock.pending).toBe(0)
})
