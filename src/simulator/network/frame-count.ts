import { frameNumberAt } from './numbered-frames.ts'

/** Samplings within 20 ms: enough to find each frame more than once, few enough to be quick. */
const LOOKS_A_FRAME = 8

/** A stretch in which one frame was heard. */
export interface HeardFrame {
  readonly index: number
  /** First sample of the first sampling that found it. */
  readonly at: number
  /** Number of consecutive repetitions: 2 for a doubled frame. */
  readonly times: number
}

/**
 * Returns the frame numbers in `pcm`, in the order heard, at any alignment: after delays, fades and cuts. A frame that
 * is heard twice in a row is one entry with `times` 2.
 */
export function framesIn(pcm: Int16Array, rate = 16_000): HeardFrame[] {
  const step = Math.max(1, Math.round((rate * 20) / 1_000 / LOOKS_A_FRAME))
  const runs: { index: number; at: number; last: number }[] = []
  for (let at = 0; at + (rate * 10) / 1_000 <= pcm.length; at += step) {
    const index = frameNumberAt(pcm, at, rate)
    if (index === undefined) continue
    const run = runs.at(-1)
    if (run && run.index === index && at - run.last <= (rate * 20) / 1_000) run.last = at
    else runs.push({ index, at, last: at })
  }
  // 10 of a frame's 20 ms can start a sampling; every repetition adds 20.
  return runs.map(({ index, at, last }) => ({
    index,
    at,
    times: Math.max(1, Math.round(((last - at) / rate) * 50 + 0.5)),
  }))
}

/** Result of comparing received frames with the ones sent. */
export interface FrameCount {
  /** Sent frames that are missing. */
  readonly lost: readonly number[]
  /** Number of repetitions. */
  readonly repeated: number
  /** Number of frames first heard after a later one. */
  readonly late: number
  /** Frames that were never sent. */
  readonly foreign: readonly number[]
}

/** Compares `heard` with frames `from` to before `to`, each sent once. */
export function countFrames(heard: Iterable<number>, from: number, to: number): FrameCount {
  const seen = new Set<number>()
  const foreign: number[] = []
  let repeated = 0
  let late = 0
  let newest = -1
  for (const index of heard) {
    if (index < from || index >= to) foreign.push(index)
    else if (seen.has(index)) repeated++
    else {
      if (index < newest) late++
      newest = Math.max(newest, index)
      seen.add(index)
    }
  }
  const lost = Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n).filter(n => !seen.has(n))
  return { lost, repeated, late, foreign }
}
