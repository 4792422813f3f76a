/** One implementation: each call processes `frames` frames. */
export interface Candidate {
  name: string
  /** Frames of 20 ms per call. */
  frames: number
  run(): void
}

/** One line of the first part of the bench. */
export interface Row {
  what: string
  candidate: string
  value: number
  unit: string
  /** Relative to the first candidate for the same task: above 1 is slower. */
  ratio: number
}

const ROUNDS = 31
const ROUND_MS = 4

/**
 * Times all candidates in turn, in one process, in many rounds, so that other work on the machine affects all equally.
 * Returns the median of each in µs of CPU per 20 ms of sound.
 */
export function alternate(what: string, candidates: readonly Candidate[]): Row[] {
  const repeats = candidates.map(candidate => repeatsFor(candidate))
  const times = candidates.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++)
    candidates.forEach((candidate, i) => {
      const began = cpuMicroseconds()
      for (let n = 0; n < repeats[i]!; n++) candidate.run()
      times[i]!.push((cpuMicroseconds() - began) / repeats[i]! / candidate.frames)
    })
  const medians = times.map(each => each.sort((a, b) => a - b)[ROUNDS >> 1]!)
  return candidates.map((candidate, i) => ({
    what,
    candidate: candidate.name,
    value: medians[i]!,
    unit: 'µs per 20 ms',
    ratio: medians[i]! / medians[0]!,
  }))
}

/** CPU time of this thread so far: the share of other processes does not count. */
function cpuMicroseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** Warms a candidate up and determines how many calls fill a round. */
function repeatsFor(candidate: Candidate): number {
  let calls = 0
  const began = cpuMicroseconds()
  while (cpuMicroseconds() - began < 10_000 * ROUND_MS || calls < 3) {
    candidate.run()
    calls++
  }
  return Math.max(1, Math.round(calls / 10))
}
