/** Measured work (ms of this process's time). */
const PROBE_MS = 30

/**
 * Current duration of work relative to an idle machine, 1 or more. For limits on pure work; an idle machine gets the
 * limit itself.
 */
export function slowdown(): number {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  while (process.cpuUsage(cpu).user / 1_000 < PROBE_MS) Math.sqrt(begun)
  return Math.max(1, (performance.now() - begun) / PROBE_MS)
}
