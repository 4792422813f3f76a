/** One way to do a thing: called with nothing, does `frames` frames of it. */
export interface Candidate {
  name: string
  /** Frames of 20 ms that one call handles. */
  frames: number
  run(): void
}

/** One line of the first part of the bench. */
export interface Row {
  what: string
  candidate: string
  value: number
  unit: string
  /** To the first candidate for the same thing: above 1 is dearer. */
  ratio: number
}

const ROUNDS = 31
const ROUND_MS = 4

/**
 * Times all candidates in turn, in one process, many rounds: whatever else the machine does meets all alike. Gives the
 * median of each in µs of CPU for 20 ms of sound.
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

/** CPU time of this thread so far: what other processes take of the core does not count. */
function cpuMicroseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** Warms a candidate up and finds how many calls fill a round. */
function repeatsFor(candidate: Candidate): number {
  let calls = 0
  const began = cpuMicroseconds()
  while (cpuMicroseconds() - began < 10_000 * ROUND_MS || calls < 3) {
    candidate.run()
    calls++
  }
  return Math.max(1, Math.round(calls / 10))
}
