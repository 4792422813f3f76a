import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Closed, Figures, Opened, Run, Serving } from './messages.ts'
import type { BenchOptions, Subject } from './options.ts'
import { Child, cpuOf, rssOf } from './process.ts'
import { type ProfileReport, reportProfile } from './profile.ts'
import type { Listening } from './subject.ts'

/** One measured window. */
export interface Window {
  subject: Subject
  legs: number
  /** Processor milliseconds per leg and second. */
  cpuMs: number
  userMs: number
  systemMs: number
  /** Share of one core, percent. */
  corePercent: number
  /** Before the first call and at the end of the window, MiB. */
  rssIdleMiB: number
  rssMiB: number
  /** (RSS at N − RSS at 0) / N. */
  rssPerLegKiB: number
  /** Share of its own core that phones and service used, percent. */
  loadCorePercent: number
  figures: Figures
}

const SUBJECT_CORE = 0
const LOAD_CORE = 1
/** Calls begin over this long, so that not all speak in step. */
const RAMP_MS_PER_LEG = 20
const WARM_MS = 6_000

export interface LegsReport {
  windows: Window[]
  profile?: ProfileReport
}

/** Loads floor and bridge in turn, a fresh process each time, and measures a window of each. */
export async function benchLegs(options: BenchOptions, say: (line: string) => void): Promise<LegsReport> {
  const load = Child.start('load.ts', LOAD_CORE, [])
  const profileFolder = options.profile ? mkdtempSync(join(tmpdir(), 'dragoman-bench-')) : undefined
  try {
    const { url } = await load.when<Serving>('serving')
    const windows: Window[] = []
    for (const legs of options.legs)
      for (let round = 1; round <= options.windows; round++)
        for (const subject of options.subjects) {
          const window = await measure(subject, legs, url, load, options, profileFolder)
          windows.push(window)
          say(`${subject} with ${legs} legs, window ${round} of ${options.windows}: ${describe(window)}`)
        }
    return profileFolder ? { windows, profile: reportProfile(profileFolder) } : { windows }
  } finally {
    await load.stop()
    if (profileFolder) rmSync(profileFolder, { recursive: true, force: true })
  }
}

async function measure(
  subject: Subject,
  legs: number,
  service: string,
  load: Child,
  options: BenchOptions,
  profileFolder: string | undefined,
): Promise<Window> {
  const nodeArgs = profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : []
  const args = ['--service', service, '--numbers', String(legs), '--mode', options.mode]
  const child = Child.start(`${subject}.ts`, SUBJECT_CORE, args, nodeArgs)
  try {
    const { port } = await child.when<Listening>('listening')
    await sleep(500)
    const rssIdle = rssOf(child.pid)
    const rampMs = legs * RAMP_MS_PER_LEG
    const run: Run = { kind: 'run', port, legs, rampMs, warmMs: WARM_MS, windowMs: options.seconds * 1000 }
    const opened = load.when<Opened>('opened')
    const closed = load.when<Closed>('closed')
    const done = load.when<Figures>('figures')
    load.send(run)
    await opened
    const before = [cpuOf(child.pid), cpuOf(load.pid)] as const
    const { windowMs } = await closed
    const after = [cpuOf(child.pid), cpuOf(load.pid)] as const
    const rss = rssOf(child.pid)
    const legSeconds = (legs * windowMs) / 1000
    const userMs = (after[0].user - before[0].user) / legSeconds
    const systemMs = (after[0].system - before[0].system) / legSeconds
    const loadMs = after[1].user + after[1].system - before[1].user - before[1].system
    return {
      subject,
      legs,
      cpuMs: userMs + systemMs,
      userMs,
      systemMs,
      corePercent: ((userMs + systemMs) * legs) / 10,
      rssIdleMiB: rssIdle / 1024,
      rssMiB: rss / 1024,
      rssPerLegKiB: (rss - rssIdle) / legs,
      loadCorePercent: (loadMs / windowMs) * 100,
      figures: await done,
    }
  } finally {
    await child.stop()
  }
}

function describe({ cpuMs, rssPerLegKiB, figures }: Window): string {
  const { uplinkMs, downlinkMs, gaps, framesLost, legsLost } = figures
  return [
    `${cpuMs.toFixed(2)} ms CPU per leg-second`,
    `${rssPerLegKiB.toFixed(0)} KiB per leg`,
    `uplink p99 ${uplinkMs.p99.toFixed(1)} ms`,
    `downlink p99 ${downlinkMs.p99.toFixed(1)} ms`,
    `${gaps} gaps, ${framesLost} frames and ${legsLost} legs lost`,
  ].join(', ')
}
