import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { beforeEach } from 'vitest'

/**
 * Set-up of tests in real time. They measure when sound arrives. While other work keeps the processors busy, phone, bridge and service miss their times
 * without a fault of theirs, so a test that fails then is repeated; one that fails on a free machine is not. The end of a run
 * names what was repeated. How often is `retry` in vitest.config.ts.
 */

/** Share of a test's time in which some task waited for a processor. */
const SHORT = 0.1
/** Taken here, before a test puts fake timers in its place. */
const now = performance.now.bind(performance)

beforeEach(({ task }) => {
  if (typeof task.retry === 'object') Object.assign(task, { retry: { ...task.retry, condition: watch() } })
})

/** Returns a function that tells whether processors were short since this call. */
function watch(): () => boolean {
  const begun = now()
  const waitedBefore = waitedMs()
  const idleBefore = idleMs()
  return () => {
    const elapsed = now() - begun
    const waited = waitedMs()
    if (waited !== undefined && waitedBefore !== undefined) return waited - waitedBefore > elapsed * SHORT
    return idleMs() - idleBefore < elapsed * cpus().length * SHORT
  }
}

/** Time since boot in which a task waited for a processor, where the system counts it (Linux pressure stall information). */
function waitedMs(): number | undefined {
  try {
    const total = /^some .*total=(\d+)/m.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1]
    return total === undefined ? undefined : Number(total) / 1_000
  } catch {
    return undefined
  }
}

function idleMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0)
}
