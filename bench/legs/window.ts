import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MEMORY_FLAGS } from '../../src/common/memory-flags.ts'
import { cpuOf, foreignMs, rssOf } from '../proc-stat.ts'
import type { Closed, Finished, Opened, Run, Serving } from './load.ts'
import { Child, type Listening, LOAD_CORE, SUBJECT_CORE } from './process.ts'
import type { Figures } from './recorder.ts'
import { type MemorySample, RssLog } from './rss-log.ts'
import { Served, type Signature } from './served.ts'
import type { Load } from './voices.ts'

/** Folder of this project. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Calls start over this time, so that they do not speak in step. */
const RAMP_MS_PER_LEG = 20
const WARM_MS = 6_000
const SETTLE_MS = 500

/** A program under load: the floor, or `dragoman serve` of a folder. */
export interface Subject {
  readonly name: string
  readonly root: string | undefined
}

export interface WindowOptions {
  readonly legs: number
  readonly windowMs: number
  readonly load: Load
  /** Keeps the memory every 10 s. */
  readonly memory: boolean
  /** Node flags of the profiler. */
  readonly flags: readonly string[]
}

/** One subject in one window. */
export interface Window {
  readonly subject: string
  readonly legs: number
  /** Time from the start of the process to the window, and its measured length. */
  readonly openedAfterMs: number
  readonly windowMs: number
  /** Processor milliseconds per leg and second. */
  readonly cpuMs: number
  /** Share of one core, percent. */
  readonly corePercent: number
  /** (RSS at the end of the window − RSS before the first call) / legs. */
  readonly rssPerLegKiB: number
  readonly rss: readonly MemorySample[]
  /** Share of the core that neither the subjects nor the load used, percent: the higher, the less reliable. */
  readonly othersPercent: number
  readonly figures: Figures
}

interface Running {
  readonly pid: number
  readonly port: number
  readonly signature?: Signature
  stop(): Promise<void>
}

/**
 * Starts `subjects` in new processes on the same core, calls each with `legs` phones of its own, and measures one window of all
 * of them at once.
 */
export async function measure(subjects: readonly Subject[], options: WindowOptions): Promise<Window[]> {
  const { legs, windowMs, load, flags } = options
  await using stack = new AsyncDisposableStack()
  const started = await Promise.all(
    subjects.map(async subject => {
      const phones = Child.start('load.ts', LOAD_CORE, ['--load', load])
      stack.defer(() => phones.stop())
      const { url: service } = await phones.when<Serving>('serving')
      const startedAt = performance.now()
      const running = await start(subject, service, legs, flags)
      stack.defer(() => running.stop())
      await sleep(SETTLE_MS)
      const log = stack.use(new RssLog(running.pid))
      return { subject, phones, running, startedAt, log, idleKiB: rssOf(running.pid) }
    }),
  )
  const opened = Promise.all(started.map(({ phones }) => phones.when<Opened>('opened')))
  const closed = started.map(({ phones }) => phones.when<Closed>('closed'))
  const finished = started.map(({ phones }) => phones.when<Finished>('finished'))
  for (const { phones, running } of started) {
    const { port, signature } = running
    const run: Run = {
      ...{ port, signature, legs, windowMs },
      ...{ rampMs: legs * RAMP_MS_PER_LEG, warmMs: WARM_MS },
    }
    phones.send(run)
  }
  await opened
  const cpu = () => started.map(({ running }) => cpuOf(running.pid))
  const begins = performance.now()
  const before = cpu()
  const othersBefore = others(before)
  if (options.memory) for (const { log } of started) log.start()
  const lengths = await Promise.all(closed)
  const after = cpu()
  const othersMs = others(after) - othersBefore
  const rss = started.map(({ running }) => rssOf(running.pid))
  return await Promise.all(
    started.map(async ({ subject, startedAt, log, idleKiB }, at) => {
      const { windowMs: measuredMs } = lengths[at]!
      const spentMs = total(after[at]!) - total(before[at]!)
      return {
        subject: subject.name,
        legs,
        openedAfterMs: begins - startedAt,
        windowMs: measuredMs,
        cpuMs: (spentMs * 1_000) / (legs * measuredMs),
        corePercent: (spentMs / measuredMs) * 100,
        rssPerLegKiB: (rss[at]! - idleKiB) / legs,
        rss: log.samples,
        othersPercent: Math.max(0, (othersMs / measuredMs) * 100),
        figures: (await finished[at]!).figures,
      }
    }),
  )
}

async function start(
  { root }: Subject,
  service: string,
  legs: number,
  flags: readonly string[],
): Promise<Running> {
  if (root !== undefined) return Served.start({ root, service, legs, flags })
  const child = Child.start('floor.ts', SUBJECT_CORE, ['--service', service], [...MEMORY_FLAGS, ...flags])
  const { port } = await child.when<Listening>('listening')
  return { pid: child.pid, port, stop: () => child.stop() }
}

function total({ user, system }: { readonly user: number; readonly system: number }): number {
  return user + system
}

/** Time that the subjects' core has spent on anything else (ms). */
function others(own: readonly { readonly user: number; readonly system: number }[]): number {
  const user = own.reduce((sum, each) => sum + each.user, 0)
  const system = own.reduce((sum, each) => sum + each.system, 0)
  return foreignMs(SUBJECT_CORE, { user, system })
}
