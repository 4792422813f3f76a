import { setTimeout as sleep } from 'node:timers/promises'
import type { Closed, DiscordAccount, Figures, Memory, Opened, Run } from './messages.ts'
import { Observation, type Observed } from './observation.ts'
import type { BenchOptions } from './options.ts'
import { cpuOf, foreignMs, rssOf } from './proc-stat.ts'
import { type Child, runRealtime } from './process.ts'
import { type MemorySample, RssLog } from './rss-log.ts'
import { LOAD_CORE, SUBJECT_CORE, type Subject, type SubjectProcess, startSubject } from './subjects.ts'
import { figure } from './table.ts'

/** Calls start over this time, so that they do not speak in step. */
const RAMP_MS_PER_LEG = 20
const WARM_MS = 6_000

/** One measured window. */
export interface Window {
  subject: Subject
  legs: number
  /** Time from the start of the process to the window, and the measured length of the window. */
  openedAfterMs: number
  windowMs: number
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
  /** Live memory of the subject after garbage collection, before the first call and at the end; not of `served`. */
  memory?: { idle: Memory; end: Memory }
  /** RSS during a long window. */
  rss: MemorySample[]
  /** With `--observe`. */
  observed?: Observed
  /** Share of their own core that phones and service used, percent. */
  loadCorePercent: number
  /** Share of either core that anything else on the machine used, percent: the higher, the less reliable is this window. */
  foreignPercent: { subjectCore: number; loadCore: number }
  figures: Figures
}

/** The subject of a measurement. */
export interface WindowOptions {
  readonly subject: Subject
  readonly legs: number
  /** Address of the scripted service of `load`. */
  readonly service: string
  readonly discord?: DiscordAccount | undefined
  readonly load: Child
  readonly bench: BenchOptions
  /** Node flags of the profiler. */
  readonly flags?: readonly string[]
  /** In two-party calls, with this original voice. */
  readonly pairs?: 'off' | 'duck'
}

/** Starts the subject in a new process, calls it with all phones, and measures one window. */
export async function measure({
  subject,
  legs,
  service,
  discord,
  load,
  bench,
  flags = [],
  pairs,
}: WindowOptions): Promise<Window> {
  const startedAt = performance.now()
  using observation = bench.observe ? new Observation() : undefined
  const started = await startSubject(subject, {
    ...{ legs, service, mode: bench.mode, start: bench.start, node: bench.node, pairs },
    channel: bench.channel,
    discord,
    flags: [...flags, ...(observation?.flags ?? [])],
    env: observation?.env ?? {},
  })
  const { pid, port, signature } = started
  using rss = new RssLog(pid)
  try {
    if (bench.realtime) runRealtime(pid)
    await sleep(500)
    const rssIdle = rssOf(pid)
    const idle = await started.memory()
    const windowMs = bench.minutes === undefined ? bench.seconds * 1000 : bench.minutes * 60_000
    const run: Run = {
      kind: 'run',
      ...{ port, signature, legs, windowMs },
      rampMs: legs * RAMP_MS_PER_LEG,
      warmMs: WARM_MS,
      pairs: pairs !== undefined,
    }
    const opened = load.when<Opened>('opened')
    const closed = load.when<Closed>('closed')
    const done = load.when<Figures>('figures')
    load.send(run)
    await opened
    const openedAfterMs = performance.now() - startedAt
    await observation?.take(pid)
    if (bench.minutes !== undefined) rss.start()
    const before = clocks(started, load)
    const { windowMs: measuredMs } = await closed
    const after = clocks(started, load)
    const rssEnd = rssOf(pid)
    const observed = await observation?.take(pid)
    const end = await started.memory()
    const perLeg = 1000 / (legs * measuredMs)
    const userMs = (after.subject.user - before.subject.user) * perLeg
    const systemMs = (after.subject.system - before.subject.system) * perLeg
    const percent = (ms: number) => Math.max(0, (ms / measuredMs) * 100)
    return {
      subject,
      legs,
      openedAfterMs,
      windowMs: measuredMs,
      cpuMs: userMs + systemMs,
      userMs,
      systemMs,
      corePercent: ((userMs + systemMs) * legs) / 10,
      rssIdleMiB: rssIdle / 1024,
      rssMiB: rssEnd / 1024,
      rssPerLegKiB: (rssEnd - rssIdle) / legs,
      ...(idle && end ? { memory: { idle, end } } : {}),
      rss: rss.samples,
      ...(observed ? { observed } : {}),
      loadCorePercent: percent(after.load.user + after.load.system - before.load.user - before.load.system),
      foreignPercent: {
        subjectCore: percent(after.foreignSubject - before.foreignSubject),
        loadCore: percent(after.foreignLoad - before.foreignLoad),
      },
      figures: await done,
    }
  } finally {
    await started.stop()
  }
}

/** One line about a window, for progress output. */
export function describe({ cpuMs, rssPerLegKiB, figures, foreignPercent }: Window): string {
  const { uplinkMs, downlinkMs, gaps, longestGapMs, framesLost, legsLost } = figures
  return [
    `${cpuMs.toFixed(2)} ms CPU per leg-second`,
    `${rssPerLegKiB.toFixed(0)} KiB per leg`,
    `uplink p99 ${figure(uplinkMs.p99)} ms`,
    `downlink p99 ${figure(downlinkMs.p99)} ms`,
    `${gaps} gaps${gaps > 0 ? ` up to ${longestGapMs.toFixed(0)} ms` : ''}`,
    `${framesLost} frames and ${legsLost} legs lost`,
    `others used ${foreignPercent.subjectCore.toFixed(0)} and ${foreignPercent.loadCore.toFixed(0)} % of the cores`,
  ].join(', ')
}

function clocks({ pid }: SubjectProcess, load: Child) {
  const subject = cpuOf(pid)
  const own = cpuOf(load.pid)
  return {
    subject,
    load: own,
    foreignSubject: foreignMs(SUBJECT_CORE, subject),
    foreignLoad: foreignMs(LOAD_CORE, own),
  }
}
