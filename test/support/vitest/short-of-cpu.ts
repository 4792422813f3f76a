import { beforeEach } from 'vitest'
import { waitedMs } from './cpu-shortage.ts'

/**
 * Set-up of real-time tests, which measure the arrival of audio. While other work keeps the processors busy, phone,
 * bridge and service are late without being at fault. A test that fails in this time is repeated; a failure on an
 * idle machine is final. The summary of a run lists the repeated tests. `retry` in vitest.config.ts limits the attempts.
 */

/** Share of a test's time in which some task waited for a processor. */
const SHORT = 0.1
/** Captured before a test installs fake timers. */
const now = performance.now.bind(performance)

beforeEach(({ task }) => {
  if (typeof task.retry === 'object') Object.assign(task, { retry: { ...task.retry, condition: watch() } })
})

/** Returns a function that reports a shortage of processors since this call. */
function watch(): () => boolean {
  const begun = now()
  const waitedBefore = waitedMs()
  return () => waitedMs() - waitedBefore > (now() - begun) * SHORT
}
