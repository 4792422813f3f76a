/** Part of the time that looking can take: on a long recording it is work, which would delay what it waits for. */
const LOOKING = 0.2
/** A wait is no measurement: on a busy machine, what happens can take this long (ms). */
const HANG_MS = 60_000
/** Shorter waits are often expected to end without a result. */
const SHORT_MS = 2_000

type Found<T> = T | undefined | false

/** Resolves to the result of `look`; rejects if there is none for too long, naming `what`. For conditions that take real time. */
export async function until<T>(
  look: () => Found<T> | Promise<Found<T>>,
  ms: number,
  what: string,
): Promise<T> {
  const begun = performance.now()
  const patienceMs = ms < SHORT_MS ? 3 * ms : Math.max(ms, HANG_MS)
  for (;;) {
    const lookedAt = performance.now()
    const found = await look()
    if (found !== undefined && found !== false) return found
    const now = performance.now()
    if (now - begun > patienceMs) throw new Error(`${what} did not happen within ${patienceMs} ms`)
    await pause(Math.max(5, (now - lookedAt) * (1 / LOOKING - 1)))
  }
}

/** Waits in real time: for something that must not happen, or takes this long. */
export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
