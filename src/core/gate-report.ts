import type { Log } from './log.ts'
import type { RelayMetrics } from './metrics.ts'
import type { Observer } from './observer.ts'
import type { GateChange, ServiceGate } from './service-gate.ts'

export interface GateReportParts {
  readonly metrics: RelayMetrics
  readonly observer: Observer
  readonly log: Log
}

/** Tells metrics, log and onlookers how it stands with the services behind a gate. */
export class GateReport {
  readonly #parts: GateReportParts

  constructor(parts: GateReportParts) {
    this.#parts = parts
  }

  /** The breaker of one of the services has opened or closed. */
  changed(gate: ServiceGate, change: GateChange): void {
    const { metrics, observer, log } = this.#parts
    const { place: service, status } = change
    if (status === 'open') {
      metrics.circuitsOpened++
      log.warn({ service }, 'service does not answer, only probes go there')
    } else if (status === 'closed') log.info({ service }, 'service answers again')
    this.count(gate)
    observer.emit('service', change)
  }

  /** Called once a second, and when nobody is there any more. */
  count(gate: ServiceGate): void {
    const { metrics } = this.#parts
    metrics.probes = gate.probes
    metrics.servicesAwayNow = gate.statuses.filter(status => status !== 'closed').length
    metrics.sessionsWaitingNow = gate.waiting
    metrics.sessionsElsewhereNow = gate.elsewhere
  }
}
