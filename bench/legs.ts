import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Serving } from './messages.ts'
import type { BenchOptions } from './options.ts'
import { Child, runRealtime } from './process.ts'
import { type ProfileReport, reportProfile } from './profile.ts'
import { exceptions } from './served-settings.ts'
import { LOAD_CORE } from './subjects.ts'
import { describe, measure, type Window } from './window.ts'

/** A window in which the phones themselves were later than this (p99, ms) was disturbed and is measured again … */
const DISTURBED_MS = 12
/** … at most this many times; then the least disturbed counts. */
const TRIES = 3

export interface LegsReport {
  windows: Window[]
  profile?: ProfileReport
}

/** Loads all subjects in turn, a new process each time, and measures a window of each. */
export async function benchLegs(bench: BenchOptions, say: (line: string) => void): Promise<LegsReport> {
  const loadArgs = ['--load', bench.load, '--channel', bench.channel, ...(bench.endMs ? [] : ['--no-end-ms'])]
  const load = Child.start('load.ts', LOAD_CORE, loadArgs)
  const profileFolder = bench.profile ? mkdtempSync(join(tmpdir(), 'dragoman-bench-')) : undefined
  const flags = profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : []
  const tries = bench.profile || bench.minutes !== undefined ? 1 : TRIES
  try {
    const { url: service, discord } = await load.when<Serving>('serving')
    if (bench.realtime) runRealtime(load.pid)
    const windows: Window[] = []
    for (const legs of bench.legs) {
      const changed = exceptions({ service, mode: bench.mode, legs, channel: bench.channel })
      if (changed && bench.subjects.includes('served')) say(`served with ${legs} legs: ${changed}`)
      for (let round = 1; round <= bench.windows; round++) {
        // Back and forth: a slow change of the machine then affects all alike.
        const order = round % 2 === 0 ? bench.subjects.toReversed() : bench.subjects
        for (const subject of order) {
          const about = `${subject} with ${legs} legs, window ${round} of ${bench.windows}`
          const window = await undisturbed(tries, async () => {
            const tried = await measure({ subject, legs, service, discord, load, bench, flags })
            say(`${about}: ${describe(tried)}`)
            return tried
          })
          windows.push(window)
        }
      }
    }
    if (!profileFolder) return { windows }
    const { openedAfterMs: fromMs, windowMs } = windows.at(-1)!
    return { windows, profile: reportProfile(profileFolder, { fromMs, untilMs: fromMs + windowMs }) }
  } finally {
    await load.stop()
    if (profileFolder) rmSync(profileFolder, { recursive: true, force: true })
  }
}

/** Repeats the measurement until the phones were on time. */
async function undisturbed(tries: number, attempt: () => Promise<Window>): Promise<Window> {
  let best = await attempt()
  for (let i = 1; i < tries && lateness(best) > DISTURBED_MS; i++) {
    const window = await attempt()
    if (lateness(window) < lateness(best)) best = window
  }
  return best
}

function lateness({ figures }: Window): number {
  return figures.senderMs.p99
}
