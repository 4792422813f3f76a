import { readFileSync } from 'node:fs'

/** CPU time (ms). */
export interface CpuTime {
  /** Of this process. */
  readonly own: number
  /** Of programs that it started and that have ended; 0 where the system does not tell. */
  readonly started: number
}

/** Since the start of this process. */
export function cpuTime(): CpuTime {
  const { user, system } = process.cpuUsage()
  return { own: (user + system) / 1_000, started: startedMs() }
}

/** Their sum. */
export function total({ own, started }: CpuTime): number {
  return own + started
}

function startedMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // Field 3 follows the name in brackets; times are in fields 16 and 17, in ticks of 10 ms (proc_pid_stat(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    return 0
  }
}
