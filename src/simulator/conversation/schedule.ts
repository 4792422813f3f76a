import { randomFrom } from '../random.ts'

/** One sentence of a script: its start and length. */
export interface Sentence {
  readonly atMs: number
  readonly lengthMs: number
}

/** Amount and duration of a speaker's talk. */
export interface ScheduleOptions {
  readonly minutes: number
  /** Share of the time that the speaker talks, 0 to 1. Pauses between sentences of one turn do not count as talk. */
  readonly share: number
  /** The same seed gives the same script. */
  readonly seed: number
}

/** Lengths of a sentence, of a pause between two sentences of one turn, and of a whole turn (ms). */
const SENTENCE_MS = [1_000, 5_000] as const
const PAUSE_MS = [150, 700] as const
const TURN_MS = [4_000, 30_000] as const

/**
 * Returns when a speaker talks: turns of a few sentences, some short, some half a minute, with gaps between them for
 * the other speaker, so that talk takes `share` of the time. With a share of 1 there are no pauses.
 */
export function schedule({ minutes, share, seed }: ScheduleOptions): Sentence[] {
  if (!(share > 0 && share <= 1)) throw new RangeError(`share lies between 0 and 1, got ${share}`)
  const random = randomFrom(seed)
  const between = ([least, most]: readonly [number, number]) => Math.round(least + (most - least) * random())
  const endMs = minutes * 60_000
  const sentences: Sentence[] = []
  for (let at = 0, talked = 0; at < endMs; ) {
    const turnMs = between(TURN_MS)
    for (const end = at + turnMs; at < end && at < endMs; ) {
      const lengthMs = Math.min(between(SENTENCE_MS), endMs - at)
      sentences.push({ atMs: at, lengthMs })
      talked += lengthMs
      at += lengthMs
      // A high share leaves no room between sentences.
      at += Math.min(between(PAUSE_MS), Math.max(0, talked / share - at))
    }
    at = Math.max(at, Math.round(talked / share))
  }
  return sentences
}
