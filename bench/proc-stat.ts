import { readFileSync } from 'node:fs'

/** Ticks of /proc are 10 ms on every Linux that Node supports. */
const MS_PER_TICK = 10

/** Processor time of one process so far, in milliseconds. */
export interface CpuTime {
  user: number
  system: number
}

/** Processor time of `pid` with all its threads, resolution 10 ms. Linux only: throws elsewhere. */
export function cpuOf(pid: number): CpuTime {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The name in parentheses can contain spaces: count fields after it (utime is field 14, stime 15).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { user: Number(fields[11]) * MS_PER_TICK, system: Number(fields[12]) * MS_PER_TICK }
}

/** Resident memory of `pid`, in KiB. */
export function rssOf(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))
  return Number(line?.[1] ?? Number.NaN)
}

/**
 * Time that `core` has spent on anything except `own`, including stolen time of the host, in milliseconds; without
 * interrupts.
 */
export function foreignMs(core: number, own: CpuTime): number {
  const line = new RegExp(`^cpu${core} (.*)$`, 'm').exec(readFileSync('/proc/stat', 'latin1'))
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = (line?.[1] ?? '').split(' ').map(Number)
  return (user + nice + system + steal) * MS_PER_TICK - own.user - own.system
}
