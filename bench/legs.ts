import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Serving } from './messages.ts'
import type { BenchOptions } from './options.ts'
import { Child, runRealtime } from './process.ts'
import { type ProfileReport, reportProfile } from './profile.ts'
import { describe, LOAD_CORE, measure, type Window } from './window.ts'

/** A window in which the phones themselves were later than this (p99, ms) was disturbed and is measured again … */
const DISTURBED_MS = 12
/** … at most this many times; then the least disturbed counts. */
const TRIES = 3

export interface LegsReport {
  windows: Window[]
  profile?: ProfileReport
}

/** Loads floor and bridge in turn, a new process each time, and measures a window of each. */
export async function benchLegs(options: BenchOptions, say: (line: string) => void): Promise<LegsReport> {
  const load = Child.start('load.ts', LOAD_CORE, [])
  const profileFolder = options.profile ? mkdtempSync(join(tmpdir(), 'dragoman-bench-')) : undefined
  const profiling = profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : []
  const nodeArgs = [...options.node, ...profiling]
  try {
    const { url } = await load.when<Serving>('serving')
    if (options.realtime) runRealtime(load.pid)
    const windows: Window[] = []
    for (const legs of options.legs)
      for (let round = 1; round <= options.windows; round++)
        for (const subject of options.subjects) {
          const about = `${subject} with ${legs} legs, window ${round} of ${options.windows}`
          const window = await undisturbed(options.profile ? 1 : TRIES, async () => {
            const tried = await measure(subject, legs, url, load, options, nodeArgs)
            say(`${about}: ${describe(tried)}`)
            return tried
          })
          windows.push(window)
        }
    return profileFolder ? { windows, profile: reportProfile(profileFolder) } : { windows }
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
