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

const ROUNDS = 16
/** The clock of CPU time advances in steps of up to 4 ms on some kernels, so a round takes many of them. */
const ROUND_MS = 60
const WARM_UP_MS = 100

/**
 * Times all candidates in turn, in one process, in many rounds, so that other work on the machine affects all equally.
 * Returns the mean of the middle half of the rounds of each, in µs of CPU per 20 ms of sound.
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
  const typical = times.map(each => mean(each.sort((a, b) => a - b).slice(ROUNDS / 4, -ROUNDS / 4)))
  return candidates.map((candidate, i) => ({
    what,
    candidate: candidate.name,
    value: typical[i]!,
    unit: 'µs per 20 ms',
    ratio: typical[i]! / typical[0]!,
  }))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
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
  let spent = 0
  while (spent < WARM_UP_MS * 1000 || calls < 3) {
    candidate.run()
    calls++
    spent = cpuMicroseconds() - began
  }
  return Math.max(1, Math.round((calls * ROUND_MS * 1000) / spent))
}
