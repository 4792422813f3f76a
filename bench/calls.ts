import type { Serving } from './messages.ts'
import type { BenchOptions } from './options.ts'
import { Child, runRealtime } from './process.ts'
import { mean } from './stats.ts'
import { LOAD_CORE } from './subjects.ts'
import { figure, table } from './table.ts'
import { describe, measure, type Window } from './window.ts'

/** A window in which the phones themselves were later than this (p99, ms) was disturbed and is measured again. */
const DISTURBED_MS = 12
const TRIES = 3

/** Two-party calls: each of the two talks half of the time and hears the other translated. */
export interface CallRow {
  calls: number
  /** Level of the original voice. */
  original: 'off' | 'duck'
  windows: Window[]
}

/** Loads the bridge with `options.calls` two-party calls, with and without original voices. */
export async function benchCalls(options: BenchOptions, say: (line: string) => void): Promise<CallRow[]> {
  const load = Child.start('load.ts', LOAD_CORE, [])
  try {
    const { url } = await load.when<Serving>('serving')
    if (options.realtime) runRealtime(load.pid)
    const rows: CallRow[] = []
    for (const original of ['off', 'duck'] as const) {
      const windows: Window[] = []
      for (let round = 1; round <= options.windows; round++) {
        const window = await undisturbed(() =>
          measure({
            ...{ subject: 'bridge', legs: options.calls * 2, service: url, load },
            bench: options,
            pairs: original,
          }),
        )
        say(`${options.calls} calls, original ${original}, window ${round}: ${describe(window)}`)
        windows.push(window)
      }
      rows.push({ calls: options.calls, original, windows })
    }
    return rows
  } finally {
    await load.stop()
  }
}

async function undisturbed(attempt: () => Promise<Window>): Promise<Window> {
  let best = await attempt()
  for (let tries = 1; tries < TRIES && best.figures.senderMs.p99 > DISTURBED_MS; tries++) {
    const window = await attempt()
    if (window.figures.senderMs.p99 < best.figures.senderMs.p99) best = window
  }
  return best
}

const HEAD = [
  'calls',
  'original',
  'CPU ms/leg-s',
  'core %',
  'KiB/leg',
  'uplink p99 ms',
  'downlink p99 ms',
  'late p99 ms',
  'gaps',
  'lost frames',
  'load late p99 ms',
]

export function callTable(rows: readonly CallRow[]): string {
  return table(
    HEAD,
    rows.map(({ calls, original, windows }) => {
      const average = (of: (window: Window) => number) => mean(windows.map(of))
      const sum = (of: (window: Window) => number) => windows.reduce((all, each) => all + of(each), 0)
      return [
        calls,
        original,
        average(each => each.cpuMs),
        average(each => each.corePercent),
        average(each => each.rssPerLegKiB),
        average(each => each.figures.uplinkMs.p99),
        // Under an original voice the start of a translation cannot be detected.
        original === 'off' ? figure(average(each => each.figures.downlinkMs.p99)) : '–',
        average(each => each.figures.latenessMs.p99),
        sum(each => each.figures.gaps),
        sum(each => each.figures.framesLost),
        average(each => each.figures.senderMs.p99),
      ]
    }),
  )
}
