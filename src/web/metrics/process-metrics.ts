import { readdirSync } from 'node:fs'
import { type Family, labelled, single } from './family.ts'

/** Metrics of this process, under their usual names. */
export function processFamilies(version: string): Family[] {
  const startedAt = performance.timeOrigin / 1_000
  return [
    labelled('dragoman_build_info', 'Version of the program.', ['version', 'node'], () => [
      [[version, process.version], 1],
    ]),
    single(
      'process_start_time_seconds',
      'Start time of this process, in seconds since 1970.',
      () => startedAt,
    ),
    labelled('process_cpu_seconds_total', 'CPU time of this process.', ['mode'], () => {
      const { user, system } = process.cpuUsage()
      return [
        [['user'], user / 1e6],
        [['system'], system / 1e6],
      ]
    }),
    single('process_resident_memory_bytes', 'Memory of this process.', () => process.memoryUsage.rss()),
    single('process_open_fds', 'Open file descriptors.', openFiles),
    labelled(
      'nodejs_heap_bytes',
      'Memory of the JavaScript heap, of its array buffers, and outside it.',
      ['kind'],
      () => {
        const { heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage()
        return [
          [['total'], heapTotal],
          [['used'], heapUsed],
          [['external'], external],
          [['array_buffers'], arrayBuffers],
        ]
      },
    ),
    single(
      'nodejs_active_resources',
      'Sockets, timers and other handles that keep the event loop running.',
      () => process.getActiveResourcesInfo().length,
    ),
    labelled(
      'nodejs_eventloop_seconds_total',
      'Time that the event loop was busy and idle.',
      ['state'],
      () => {
        const { active, idle } = performance.eventLoopUtilization()
        return [
          [['active'], active / 1_000],
          [['idle'], idle / 1_000],
        ]
      },
    ),
  ]
}

/** Returns undefined if the system does not provide it. */
function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}
