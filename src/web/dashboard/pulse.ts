import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Resource usage and delay of this process between two readings. */
export interface Pulse {
  start(): void
  stop(): void
  /** Since the last reading: longest event loop delay (ms), CPU time in percent of a core, current memory (bytes). */
  look(): { readonly loopLagMs: number; readonly cpuPercent: number; readonly memoryBytes: number }
}

/** Sampling interval of the event loop (ms). */
const RESOLUTION_MS = 20

/** Measures this process. Has no cost while stopped. */
export class ProcessPulse implements Pulse {
  #loop: ReturnType<typeof monitorEventLoopDelay> | undefined
  #cpu = process.cpuUsage()
  #at = performance.now()

  start(): void {
    this.#loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    this.#loop.enable()
    this.#cpu = process.cpuUsage()
    this.#at = performance.now()
  }

  stop(): void {
    this.#loop?.disable()
    this.#loop = undefined
  }

  look() {
    const loop = this.#loop
    const loopLagMs = loop && loop.count > 0 ? Math.max(0, loop.max / 1e6 - RESOLUTION_MS) : 0
    loop?.reset()
    const at = performance.now()
    const { user, system } = process.cpuUsage(this.#cpu)
    const cpuPercent = (user + system) / 10 / Math.max(1, at - this.#at)
    this.#cpu = process.cpuUsage()
    this.#at = at
    return { loopLagMs, cpuPercent, memoryBytes: process.memoryUsage.rss() }
  }
}
