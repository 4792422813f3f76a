import type { Log } from '../../common/log.ts'
import type { GateChange, Observer } from '../model/events.ts'
import type { RelayMetrics } from '../model/relay-metrics.ts'
import type { ServiceGate } from '../translation/failover-translator.ts'

export interface GateReportParts {
  readonly metrics: RelayMetrics
  readonly observer: Observer
  readonly log: Log
}

/** Reports the status of the services of a failover translator to metrics, log and observers. */
export class GateReport {
  readonly #parts: GateReportParts

  constructor(parts: GateReportParts) {
    this.#parts = parts
  }

  /** Reports that the circuit breaker of a service opened or closed. */
  changed(gate: ServiceGate, change: GateChange): void {
    const { metrics, observer, log } = this.#parts
    const { place: service, status } = change
    if (status === 'open') {
      metrics.circuitsOpened++
      log.warn({ service }, 'circuit opened')
    } else if (status === 'closed') log.info({ service }, 'circuit closed')
    this.count(gate)
    observer.emit('service', change)
  }

  /** Updates the gauges. Called once per second, and when the last participant has left. */
  count(gate: ServiceGate): void {
    const { metrics } = this.#parts
    metrics.probes = gate.probes
    metrics.servicesAwayNow = gate.statuses.filter(status => status !== 'closed').length
    metrics.sessionsWaitingNow = gate.waiting
    metrics.sessionsElsewhereNow = gate.elsewhere
  }
}
