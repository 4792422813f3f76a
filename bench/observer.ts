/**
 * Loaded into a process under load with `--import`, on request only. At every SIGUSR2 it writes the garbage collections
 * and event loop delays since the last one to a file, and starts again.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import { OBSERVE_FOLDER, type Observed } from './observation.ts'

/** Period of the timer whose delay is measured (ms). */
const PERIOD_MS = 10

const folder = process.env[OBSERVE_FOLDER]
if (isMainThread && folder !== undefined) observe(folder)

function observe(into: string): void {
  const loop = monitorEventLoopDelay({ resolution: PERIOD_MS })
  loop.enable()
  let collections: number[] = []
  const collected = new PerformanceObserver(list => {
    for (const { duration } of list.getEntries()) collections.push(duration)
  })
  collected.observe({ entryTypes: ['gc'] })
  let written = 0
  // The histogram has whole periods in nanoseconds.
  const lateMs = (periodNs: number) => Math.max(0, periodNs / 1e6 - PERIOD_MS)
  process.on('SIGUSR2', () => {
    const observed: Observed = {
      collections: collections.length,
      gcMs: collections.reduce((sum, duration) => sum + duration, 0),
      longestGcMs: Math.max(0, ...collections),
      loopP50Ms: lateMs(loop.percentile(50)),
      loopP99Ms: lateMs(loop.percentile(99)),
      loopMaxMs: lateMs(loop.max),
    }
    const path = join(into, `${process.pid}.${++written}.json`)
    writeFileSync(`${path}.part`, JSON.stringify(observed))
    renameSync(`${path}.part`, path)
    loop.reset()
    collections = []
  })
}
