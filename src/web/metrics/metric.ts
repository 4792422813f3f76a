import { Counter, Gauge, type Metric, type Registry } from 'prom-client'
import type { Histogram } from '../../common/histogram.ts'

/** Value by labels, in the order of the metric’s label names. */
export type Labeled = readonly (readonly [labels: readonly string[], value: number])[]

/** Distribution of values in seconds: the number of values up to each bound, their sum, and their number. */
export interface Distribution {
  readonly upTo: readonly number[]
  readonly sum: number
  readonly count: number
}

/** Creates a metric without labels, as `labeled` does. `read` returns undefined if there is no value. */
export function single(name: string, help: string, read: () => number | undefined): Metric {
  return labeled(name, help, [], () => {
    const value = read()
    return value === undefined ? [] : [[[], value]]
  })
}

/**
 * Creates a counter if the name ends with `_total`, otherwise a gauge: `dragoman_…`, in base units. Each scrape reads the
 * figures from their owner; a metric whose owner throws has no values then.
 */
export function labeled(
  name: string,
  help: string,
  labelNames: readonly string[],
  read: () => Labeled,
): Metric {
  const settings = { name, help, labelNames, registers: [] }
  const fill = (metric: Counter | Gauge, put: (labels: readonly string[], value: number) => void) => {
    metric.reset()
    // The library starts a metric without labels at 0.
    if (labelNames.length === 0) metric.remove()
    for (const [labels, value] of readSafely(read)) put(labels, value)
  }
  if (name.endsWith('_total'))
    return new Counter({
      ...settings,
      collect() {
        fill(this, (labels, value) => this.labels(...labels).inc(value))
      },
    })
  return new Gauge({
    ...settings,
    collect() {
      fill(this, (labels, value) => this.labels(...labels).set(value))
    },
  })
}

/** Creates a histogram in seconds of distributions that others count; one of the library could only count itself. */
export function histogram(
  name: string,
  help: string,
  labelNames: readonly string[],
  bounds: readonly number[],
  read: () => readonly (readonly [labels: readonly string[], distribution: Distribution])[],
): Metric {
  const own = { name, help, type: 'histogram', labelNames }
  const get = async () => ({
    ...own,
    values: readSafely(read).flatMap(([values, { upTo, sum, count }]) => {
      const labels = Object.fromEntries(labelNames.map((label, at) => [label, values[at]]))
      const bucket = (le: string, value: number) => ({
        ...{ metricName: `${name}_bucket`, labels: { ...labels, le }, value },
      })
      return [
        ...bounds.map((bound, at) => bucket(`${bound}`, upTo[at] ?? 0)),
        bucket('+Inf', count),
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ]
    }),
  })
  // A registry calls nothing else.
  return { ...own, get } as unknown as Metric
}

/** Converts a histogram of milliseconds to seconds, accurate to 5 %. */
export function inSeconds(ms: Histogram, bounds: readonly number[]): Distribution {
  return {
    upTo: bounds.map(bound => ms.countUpTo(bound * 1_000)),
    sum: ms.sum / 1_000,
    count: ms.count,
  }
}

/** A metric as listed in the documentation. */
export interface ListedMetric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly labelNames: readonly string[]
}

/** Lists the metrics of `registry`, whose types do not include all that its metrics have. */
export function listedMetrics(registry: Registry): readonly ListedMetric[] {
  return registry.getMetricsAsArray() as unknown as ListedMetric[]
}

function readSafely<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read()
  } catch {
    return []
  }
}
