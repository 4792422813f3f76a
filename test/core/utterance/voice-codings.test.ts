import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { tone } from '../../../simulator/service/scripted-answers.ts'
import { type AssemblerEvents, ResultAssembler } from '../../../src/core/utterance/result-assembler.ts'
import type { Utterance } from '../../../src/core/utterance/utterance.ts'
import { LoudnessNormalizer } from '../../../src/transcode/loudness-normalizer.ts'
import { bytesOf } from '../../../src/transcode/pcm.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { utteranceParts } from '../../support/relay/utterance-parts.ts'

test('a voice of samples or WAV plays like one of mp3, and repeated silence is kept', () => {
  const utterances: Utterance[] = []
  const { decoding, metrics } = utteranceParts()
  const events: AssemblerEvents = {
    caption() {},
    utterance: utterance => utterances.push(utterance),
    notMp3: () => expect.unreachable(),
    speechEndedAt: () => 0,
    processed() {},
    failed: error => {
      throw error
    },
  }
  const interpreter = new ResultAssembler({
    name: 'anna.1',
    clock: new FakeClock(),
    decoding,
    metrics,
    events,
    leveler: new LoudnessNormalizer(-20, 0),
  })
  const hear = (utterance: string, audio: Uint8Array) => interpreter.result({ utterance, final: true, audio })
  const silence = new Uint8Array(2_048)
  for (const audio of [silence, bytesOf(tone(1_000, 300)), silence, silence]) hear('1', audio)
  interpreter.endOfSpeech()
  hear('2', encodeWav(tone(1_000, 300), 16_000))
  interpreter.endOfSpeech()
  for (const utterance of utterances) while (utterance.decode()) {}
  // 300 ms of tone and three times 64 ms of silence; and 300 ms.
  expect(utterances.map(({ audio }) => Math.round(audio.durationMs))).toEqual([492, 300])
})
