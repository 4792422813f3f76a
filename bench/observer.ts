/**
 * Loaded into a process under load with `--import`, on request only. At every SIGUSR2 it writes the garbage collections,
 * event loop delays and memory since the last one to a file, and starts again.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'
import { OBSERVE_FOLDER, type Observed, type ObservedMemory } from './observation.ts'

/** Period of the timer whose delay is measured (ms). */
const PERIOD_MS = 10
/** Time between two looks at the memory (ms). */
const MEMORY_EVERY_MS = 10_000

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
  let memory: ObservedMemory[] = []
  setInterval(() => memory.push(memoryNow()), MEMORY_EVERY_MS).unref()
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
      memory,
    }
    const path = join(into, `${process.pid}.${++written}.json`)
    writeFileSync(`${path}.part`, JSON.stringify(observed))
    renameSync(`${path}.part`, path)
    loop.reset()
    collections = []
    memory = []
  })
}

function memoryNow(): ObservedMemory {
  const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
  const spaces = getHeapSpaceStatistics()
  const space = (name: string) =>
    spaces.find(({ space_name }) => space_name === name)?.physical_space_size ?? 0
  const mib = (bytes: number) => bytes / 2 ** 20
  return {
    seconds: process.uptime(),
    rss: mib(rss),
    heapUsed: mib(heapUsed),
    heapTotal: mib(heapTotal),
    oldSpace: mib(space('old_space')),
    largeObjects: mib(space('large_object_space')),
    external: mib(external),
    arrayBuffers: mib(arrayBuffers),
  }
}
