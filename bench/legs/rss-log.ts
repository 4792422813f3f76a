import { rssOf } from '../proc-stat.ts'
import { mean } from '../stats.ts'

/** Period of the measurements (ms). */
const EVERY_MS = 10_000
/** Length of the end of a run that counts for its growth (s). */
const LAST_S = 300

/** Resident memory of a process at one time. */
export interface MemorySample {
  /** Since the start of the log. */
  readonly seconds: number
  readonly rssMiB: number
}

/** Resident memory of a process every ten seconds, from `start`. The creator disposes of it. */
export class RssLog implements Disposable {
  readonly samples: MemorySample[] = []
  readonly #pid: number
  #timer: NodeJS.Timeout | undefined

  constructor(pid: number) {
    this.#pid = pid
  }

  start(): void {
    const began = performance.now()
    const look = () => {
      this.samples.push({ seconds: (performance.now() - began) / 1000, rssMiB: rssOf(this.#pid) / 1024 })
    }
    look()
    this.#timer = setInterval(look, EVERY_MS)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

/** Growth of memory at the end of a run. */
export interface Growth {
  /** Length of the part that was evaluated (s). */
  readonly seconds: number
  /** Along the line of best fit, which garbage collections do not affect: MiB, and percent of the mean. */
  readonly mib: number
  readonly percent: number
}

/** Growth over the last five minutes of `samples`, or over all of them. Undefined with fewer than three. */
export function growthOf(samples: readonly MemorySample[]): Growth | undefined {
  const until = samples.at(-1)?.seconds ?? 0
  const last = samples.filter(({ seconds }) => seconds >= until - LAST_S)
  if (last.length < 3) return undefined
  const seconds = until - last[0]!.seconds
  const middle = mean(last.map(sample => sample.seconds))
  const level = mean(last.map(sample => sample.rssMiB))
  const along = last.reduce((sum, sample) => sum + (sample.seconds - middle) * (sample.rssMiB - level), 0)
  const spread = last.reduce((sum, sample) => sum + (sample.seconds - middle) ** 2, 0)
  const mib = (along / spread) * seconds
  return { seconds, mib, percent: (mib / level) * 100 }
}
