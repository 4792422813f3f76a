import { frameNumberAt } from './numbered-frames.ts'

/** Looks within 20 ms: enough to find each frame more than once, few enough to be quick. */
const LOOKS_A_FRAME = 8

/** A stretch in which one frame was heard. */
export interface HeardFrame {
  readonly index: number
  /** First sample of the first look that found it. */
  readonly at: number
  /** How often it was heard on end: 2 where it was doubled. */
  readonly times: number
}

/**
 * The numbers that are in `pcm`, in order of hearing, wherever frames begin: after delays, fades and cuts. A frame that
 * is heard twice on end is one entry of two `times`.
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
  // 10 ms of a frame's 20 can begin a look; every further time adds 20.
  return runs.map(({ index, at, last }) => ({
    index,
    at,
    times: Math.max(1, Math.round(((last - at) / rate) * 50 + 0.5)),
  }))
}

/** What became of frames on their way. */
export interface FrameCount {
  /** Frames of those sent that were not heard. */
  readonly lost: readonly number[]
  /** Times a frame was heard that had been heard before. */
  readonly repeated: number
  /** Times a frame was heard after a later one, for the first time. */
  readonly late: number
  /** Heard, and never sent. */
  readonly foreign: readonly number[]
}

/** Compares what was heard with frames `from` to before `to`, each sent once. */
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
