/** Results of requests to other nodes. */
export type AskResult = 'answered' | 'failed' | 'gone' | 'late' | 'away'

/** Counters of a node of a fleet: plain numbers, safe to read at any time. */
export class FleetCounters {
  /** Claims by their result: `takenOver` are also counted as `home`. */
  readonly claims = { home: 0, elsewhere: 0, takenOver: 0, away: 0 }
  /** Requests to other nodes, by `what` and result. */
  readonly asks = new Map<string, Record<AskResult, number>>()
  /** Messages and entries that were not understood, and were dropped. */
  invalid = 0

  asked(what: string, result: AskResult): void {
    let results = this.asks.get(what)
    if (!results) {
      results = { answered: 0, failed: 0, gone: 0, late: 0, away: 0 }
      this.asks.set(what, results)
    }
    results[result]++
  }
}
