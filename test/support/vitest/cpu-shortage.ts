import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** Captured before a test installs fake timers. */
const now = performance.now.bind(performance)
/** Share of idle time below which a machine without its own measure counts as short of processors. */
const LITTLE_IDLE = 0.1

/**
 * Time since boot in which some task waited for a processor (ms). Other systems than Linux do not count it: there, time
 * counts as long as hardly any processor is idle.
 */
export function waitedMs(): number {
  return pressureMs() ?? busyMs()
}

/** Linux pressure stall information. */
function pressureMs(): number | undefined {
  try {
    const total = /^some .*total=(\d+)/m.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1]
    return total === undefined ? undefined : Number(total) / 1_000
  } catch {
    return undefined
  }
}

let busy = 0
let last = { at: now(), idle: idleMs() }

function busyMs(): number {
  const next = { at: now(), idle: idleMs() }
  const elapsed = next.at - last.at
  if (next.idle - last.idle < elapsed * cpus().length * LITTLE_IDLE) busy += elapsed
  last = next
  return busy
}

function idleMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0)
}
