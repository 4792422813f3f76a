import { waitedMs } from './vitest/cpu-shortage.ts'

/** Part of the time that looking can take: on a long recording it is work, which would delay what it waits for. */
const LOOKING = 0.2
/** The most that a shortage of processors prolongs waiting (ms), or three times the wait, if that is more. */
const GRANTED_MS = 20_000
/** Shorter waits are often expected to end without a result. */
const SHORT_MS = 2_000

/**
 * Resolves to the result of `look`; rejects after `ms`, naming `what`. For conditions that take real time. Time in which
 * some task waited for a processor does not count, within limits.
 */
export async function until<T>(look: () => T | undefined | false, ms: number, what: string): Promise<T> {
  const begun = performance.now()
  const waitedBefore = waitedMs()
  const granted = ms < SHORT_MS ? 3 * ms : Math.max(3 * ms, GRANTED_MS)
  for (;;) {
    const lookedAt = performance.now()
    const found = look()
    if (found !== undefined && found !== false) return found
    const now = performance.now()
    if (now - begun > ms && now - begun > ms + Math.min(granted, waitedMs() - waitedBefore))
      throw new Error(`${what} did not happen within ${ms} ms`)
    await pause(Math.max(5, (now - lookedAt) * (1 / LOOKING - 1)))
  }
}

/** Waits in real time: for something that must not happen, or takes this long. */
export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
