import { RelayCounters } from '../../../src/core/model/relay-counters.ts'
import { DecodeQueue } from '../../../src/core/utterance/decode-queue.ts'
import type { Utterance, UtteranceParts } from '../../../src/core/utterance/utterance.ts'
import { concat } from '../../../src/transcode/pcm.ts'

/** What utterances share in a session whose queue decodes first slices only; the test decodes the rest. */
export function utteranceParts(): UtteranceParts {
  return {
    decoding: new DecodeQueue({ now: () => 0, defer: () => {} }),
    metrics: new RelayCounters(),
    backlog: { bytes: 0 },
  }
}

/** Decodes all of an utterance, and returns what a listener hears from its start. */
export function soundOf(utterance: Utterance): Int16Array {
  const reader = utterance.audio.reader()
  while (utterance.decode()) {}
  const frames: Int16Array[] = []
  for (let frame = reader.next(); frame; frame = reader.next()) frames.push(frame.slice())
  return concat(frames)
}
