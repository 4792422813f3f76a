import type { Clock } from '../common/clock.ts'
import type { Log } from '../common/log.ts'
import { assertInstalled } from '../common/optional-package.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import type { Observer } from '../core/model/events.ts'
import type { TraceCounters } from '../tracing/counted-exporter.ts'
import type { TracingSettings } from '../tracing/settings.ts'
import { version } from './version.ts'

export interface TracingTerms {
  readonly observer: Observer
  readonly clock: Clock
  readonly log: Log
}

/** Opens the configured traces with their counters; returns undefined without an address. */
export async function startTracing(
  settings: TracingSettings,
  { observer, clock, log }: TracingTerms,
): Promise<(AsyncDisposable & { readonly counters: TraceCounters }) | undefined> {
  if (settings.url === undefined) return undefined
  assertInstalled('tracing')
  // Loaded only when needed.
  const { openTracing } = await import('../tracing/open-tracing.ts')
  const { TraceCounters } = await import('../tracing/counted-exporter.ts')
  const counters = new TraceCounters()
  const parts = { observer, clock, wall: systemWallClock, log, counters, version: version() }
  const tracing = openTracing(settings, settings.url, parts)
  return { counters, [Symbol.asyncDispose]: () => tracing[Symbol.asyncDispose]() }
}
