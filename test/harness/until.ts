import { waitedMs } from './vitest/cpu-shortage.ts'

/** Part of the time that looking may take: on a long recording it is work, which would delay what it waits for. */
const LOOKING = 0.2
/** Milliseconds granted for each millisecond in which some task waited for a processor. */
const GRANTED = 3

/**
 * Resolves to the result of `look`; rejects after `ms`, naming `what`. For conditions that take real time. While other
 * work keeps the processors busy, the time is up to four times as long.
 */
export async function until<T>(look: () => T | undefined | false, ms: number, what: string): Promise<T> {
  const begun = performance.now()
  const waitedBefore = waitedMs()
  for (;;) {
    const lookedAt = performance.now()
    const found = look()
    if (found !== undefined && found !== false) return found
    const now = performance.now()
    if (now - begun > ms && now - begun > ms + GRANTED * Math.min(ms, waitedMs() - waitedBefore))
      throw new Error(`${what} did not happen within ${ms} ms`)
    await pause(Math.max(5, (now - lookedAt) * (1 / LOOKING - 1)))
  }
}

/** Waits in real time: for something that must not happen, or takes this long. */
export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
