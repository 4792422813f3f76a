import { setTimeout as sleep } from 'node:timers/promises'
import type { Closed, Figures, Memory, Opened, Run } from './messages.ts'
import type { BenchOptions, Subject } from './options.ts'
import { cpuOf, foreignMs, rssOf } from './proc-stat.ts'
import { Child, runRealtime } from './process.ts'
import type { Listening } from './subject.ts'

export const SUBJECT_CORE = 0
export const LOAD_CORE = 1
/** Calls start over this time, so that they do not speak in step. */
const RAMP_MS_PER_LEG = 20
const WARM_MS = 6_000

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
  /** Live memory of the subject after garbage collection, before the first call and at the end. */
  memory: { idle: Memory; end: Memory }
  /** Share of their own core that phones and service used, percent. */
  loadCorePercent: number
  /** Share of either core that anything else on the machine used, percent: the higher, the less reliable is this window. */
  foreignPercent: { subjectCore: number; loadCore: number }
  figures: Figures
}

/**
 * Starts `subject` in a new process, calls it with `legs` phones, and measures one window. `pairs`: in two-party calls,
 * with this original voice.
 */
export async function measure(
  subject: Subject,
  legs: number,
  service: string,
  load: Child,
  options: BenchOptions,
  nodeArgs: readonly string[],
  pairs?: 'off' | 'duck',
): Promise<Window> {
  const args = ['--service', service, '--numbers', String(legs), '--mode', options.mode]
  if (pairs) args.push('--pairs', '--original', pairs)
  const child = Child.start(`${subject}.ts`, SUBJECT_CORE, args, nodeArgs)
  try {
    const { port } = await child.when<Listening>('listening')
    if (options.realtime) runRealtime(child.pid)
    await sleep(500)
    const rssIdle = rssOf(child.pid)
    const idle = await memoryOf(child)
    const rampMs = legs * RAMP_MS_PER_LEG
    const windowMs = options.seconds * 1000
    const run: Run = {
      kind: 'run',
      port,
      legs,
      rampMs,
      warmMs: WARM_MS,
      windowMs,
      pairs: pairs !== undefined,
    }
    const opened = load.when<Opened>('opened')
    const closed = load.when<Closed>('closed')
    const done = load.when<Figures>('figures')
    load.send(run)
    await opened
    const before = clocks(child, load)
    const { windowMs: measuredMs } = await closed
    const after = clocks(child, load)
    const rss = rssOf(child.pid)
    const end = await memoryOf(child)
    const perLeg = 1000 / (legs * measuredMs)
    const userMs = (after.subject.user - before.subject.user) * perLeg
    const systemMs = (after.subject.system - before.subject.system) * perLeg
    const percent = (ms: number) => Math.max(0, (ms / measuredMs) * 100)
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
      memory: { idle, end },
      loadCorePercent: percent(after.load.user + after.load.system - before.load.user - before.load.system),
      foreignPercent: {
        subjectCore: percent(after.foreignSubject - before.foreignSubject),
        loadCore: percent(after.foreignLoad - before.foreignLoad),
      },
      figures: await done,
    }
  } finally {
    await child.stop()
  }
}

/** One line about a window, for progress output. */
export function describe({ cpuMs, rssPerLegKiB, figures, foreignPercent }: Window): string {
  const { uplinkMs, downlinkMs, soundPercent, gaps, framesLost, legsLost } = figures
  return [
    `${cpuMs.toFixed(2)} ms CPU per leg-second`,
    `${rssPerLegKiB.toFixed(0)} KiB per leg`,
    `uplink p99 ${uplinkMs.p99.toFixed(1)} ms`,
    `downlink p99 ${downlinkMs.p99.toFixed(1)} ms`,
    `sound ${soundPercent.toFixed(0)} %`,
    `${gaps} gaps, ${framesLost} frames and ${legsLost} legs lost`,
    `others used ${foreignPercent.subjectCore.toFixed(0)} and ${foreignPercent.loadCore.toFixed(0)} % of the cores`,
  ].join(', ')
}

function clocks(child: Child, load: Child) {
  const subject = cpuOf(child.pid)
  const own = cpuOf(load.pid)
  return {
    subject,
    load: own,
    foreignSubject: foreignMs(SUBJECT_CORE, subject),
    foreignLoad: foreignMs(LOAD_CORE, own),
  }
}

function memoryOf(child: Child): Promise<Memory> {
  const answer = child.when<Memory>('memory')
  child.send({ kind: 'memory?' })
  return answer
}
