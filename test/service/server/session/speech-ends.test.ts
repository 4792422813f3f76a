import { expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { SpeechEnds } from '../../../../src/service/server/session/audio-intake.ts'
import { quiet, sine } from '../../../support/transcode/tone.ts'

/** Sends `pcm` in fragments of 60 ms at the pace of speech. */
function send(ends: SpeechEnds, clock: FakeClock, pcm: Int16Array): void {
  for (let at = 0; at < pcm.length; at += 960) {
    ends.came(pcm.subarray(at, at + 960))
    clock.advance(60)
  }
}

test('measures the age of speech from its last loud sample, not from the pause after it', () => {
  const clock = new FakeClock(5_000)
  const ends = new SpeechEnds(clock)
  expect(ends.arrivalOf(1_000)).toBeUndefined()
  send(ends, clock, quiet(300))
  send(ends, clock, sine(440, 900))
  send(ends, clock, quiet(420))
  // The last loud fragment came 420 ms and its own 60 ms ago.
  expect(clock.now() - ends.arrivalOf(1_500)!).toBe(480)
  expect(ends.arrivalOf(1_600)).toBeUndefined()
})

test('assigns a late result to the earlier utterance', () => {
  const clock = new FakeClock(5_000)
  const ends = new SpeechEnds(clock)
  send(ends, clock, sine(440, 600))
  send(ends, clock, quiet(300))
  send(ends, clock, sine(440, 600))
  expect(clock.now() - ends.arrivalOf(800)!).toBe(960)
  expect(clock.now() - ends.arrivalOf(1_500)!).toBe(60)
})
