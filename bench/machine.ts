import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { canPin } from './legs/process.ts'

/** The machine of the measurements. */
export interface Machine {
  cpu: string
  cores: number
  memoryGiB: number
  kernel: string
  node: string
  /** Bridge and load each have their own core. */
  pinned: boolean
  /** Other work on the machine at the start of the bench: load average of the last minute. */
  load: number
  date: string
}

export function machine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    pinned: canPin(),
    load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    date: new Date().toISOString(),
  }
}
