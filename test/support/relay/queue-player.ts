import {
  type LaneTiming,
  type SpokenUtterance,
  TranslationQueue,
} from '../../../src/core/playout/translation-queue.ts'
import { SpeechAudio } from '../../../src/core/utterance/speech-audio.ts'
import { peak } from '../../../src/transcode/level.ts'
import { concat } from '../../../src/transcode/pcm.ts'

/** Returns an utterance with audio `pcm`, complete by default. */
export function speech(
  id: string,
  pcm: Int16Array,
  complete = true,
): SpokenUtterance & { audio: SpeechAudio } {
  const audio = new SpeechAudio()
  audio.append(pcm)
  if (complete) audio.finish()
  return { id, audio, speechEndedAt: 0 }
}

/** Returns `pcm` as played without lag. */
export function asItIs(pcm: Int16Array): Int16Array {
  const reader = speech('', pcm).audio.reader()
  const frames: Int16Array[] = []
  for (let frame = reader.next(); frame; frame = reader.next()) frames.push(frame.slice())
  return concat(frames)
}

export function setUp({ maxLagMs = 60_000, ...timing }: LaneTiming & { maxLagMs?: number } = {}) {
  const seen: string[] = []
  /** First frames of utterances, read when they start. */
  const beginnings: Int16Array[] = []
  const lane = new TranslationQueue(
    maxLagMs,
    {
      begun: ({ id, audio }) => {
        seen.push(`begun ${id}`)
        const reader = audio.reader()
        const first = reader.next()
        if (first) beginnings.push(first.slice())
        reader.close()
      },
      part: ({ id }, saidAt) => seen.push(`part ${id} said at ${saidAt}`),
      finished: ({ id }) => seen.push(`finished ${id}`),
      dropped: ({ id }) => seen.push(`dropped ${id}`),
      starved: ({ id }) => seen.push(`starved ${id}`),
    },
    timing,
  )
  /** Plays up to `ms` like a playout; stops when no audio is available. */
  const play = (ms = 600_000) => {
    const frames: Int16Array[] = []
    for (let at = 0; at < ms; at += 20) {
      const frame = lane.active ? lane.next() : undefined
      if (!frame) break
      frames.push(frame.slice())
      lane.settle()
    }
    return concat(frames)
  }
  return { lane, seen, beginnings, play }
}

/** Returns the lengths of silent intervals of at least 20 ms (ms). */
export function silences(pcm: Int16Array): number[] {
  const found: number[] = []
  let from = 0
  for (let at = 0; at <= pcm.length; at += 80) {
    if (at + 80 <= pcm.length && peak(pcm.subarray(at, at + 80)) < 100) continue
    if (at - from >= 320) found.push((at - from) / 16)
    from = at + 80
  }
  return found
}
