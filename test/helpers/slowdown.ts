/** Work that is measured (ms of this process's time). */
const PROBE_MS = 30

/**
 * How many times as long as on an idle machine work takes now, 1 or more: others want the processor too. For bounds on how
 * soon something is done that is nothing but work; a quiet machine is held to the bound itself.
 */
export function slowdown(): number {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  while (process.cpuUsage(cpu).user / 1_000 < PROBE_MS) Math.sqrt(begun)
  return Math.max(1, (performance.now() - begun) / PROBE_MS)
}
