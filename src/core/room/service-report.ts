import type { Logger } from '../../common/log.ts'
import type { Observer, ServiceStatusChange } from '../model/events.ts'
import type { RelayMetrics } from '../model/relay-metrics.ts'
import type { FailoverTranslator } from '../translation/failover-translator.ts'

export interface GateReportOptions {
  readonly metrics: RelayMetrics
  readonly observer: Observer
  readonly log: Logger
}

/** Reports the status of the services of a failover translator to metrics, log and observers. */
export class GateReport {
  readonly #options: GateReportOptions

  constructor(options: GateReportOptions) {
    this.#options = options
  }

  /** Reports that the circuit breaker of a service opened or closed. */
  changed(gate: FailoverTranslator, change: ServiceStatusChange): void {
    const { metrics, observer, log } = this.#options
    const { upstream: service, status } = change
    if (status === 'open') {
      metrics.circuitsOpened++
      log.warn({ service }, 'circuit opened')
    } else if (status === 'closed') log.info({ service }, 'circuit closed')
    this.count(gate)
    observer.emit('service', change)
  }

  /** Updates the gauges. Called once per second, and when the last participant has left. */
  count(gate: FailoverTranslator): void {
    const { metrics } = this.#options
    metrics.probes = gate.probes
    metrics.servicesUnavailableNow = gate.statuses.filter(status => status !== 'closed').length
    metrics.sessionsWaitingNow = gate.waiting
    metrics.sessionsOnFallbackNow = gate.onFallback
  }
}
