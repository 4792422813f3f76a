import { type Metric, Registry } from 'prom-client'
import type { Histogram } from '../../common/histogram.ts'
import type { FieldSpec, FieldTable, Labels, NumbersOf } from '../../common/metric-field.ts'

/** All metrics of a program as text in Prometheus’ format. Values are read from their owners on each scrape. */
export class Exposition {
  readonly #registry = new Registry()
  readonly families: readonly Family[]

  /** Throws if two families have the same name. */
  constructor(families: readonly Family[]) {
    this.families = families
    // The library’s own counters would duplicate the figures; it accepts any object with its interface.
    for (const family of families) this.#registry.registerMetric(asked(family) as unknown as Metric)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Never rejects because of a failing family, which is omitted. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }
}

function asked(family: Family) {
  const { name, help, type } = family
  const get = () => ({
    name,
    help,
    type,
    values: readSafely(family).map(({ suffix = '', labels = {}, value }) => ({
      metricName: `${name}${suffix}`,
      labels,
      value,
    })),
  })
  return { name, help, type, get }
}

function readSafely(family: Family) {
  try {
    return family.samples()
  } catch {
    return []
  }
}

/** A line of a metric: suffix of the name, labels and value. */
export interface Sample {
  readonly suffix?: string
  readonly labels?: Labels
  readonly value: number
}

/** A metric with all its label values, read on demand. The owners of the figures keep them. */
export interface Family {
  /** `dragoman_…`, in base units, `…_total` for counters. */
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Names of its labels. */
  readonly labels: readonly string[]
  samples(): readonly Sample[]
}

/** Value by labels, in the order of the family's label names. */
export type Labeled = readonly (readonly [labels: readonly string[], value: number])[]

/**
 * Creates a counter if the name ends with `_total`, otherwise a gauge. `read` returns undefined if there is no value.
 */
export function single(name: string, help: string, read: () => number | undefined): Family {
  const samples = () => {
    const value = read()
    return value === undefined ? [] : [{ value }]
  }
  return { name, help, type: typeOf(name), labels: [], samples }
}

/** Creates a metric with a value for each combination of labels. */
export function labeled(name: string, help: string, labels: readonly string[], read: () => Labeled): Family {
  const samples = () =>
    read().map(([values, value]) => ({
      labels: Object.fromEntries(labels.map((label, at) => [label, values[at] ?? ''])),
      value,
    }))
  return { name, help, type: typeOf(name), labels, samples }
}

/** Converts histograms of milliseconds to one of seconds, with bounds in seconds, accurate to 5 %. */
export function histogramFamily(
  name: string,
  help: string,
  bounds: readonly number[],
  read: () => readonly (readonly [labels: Labels, ms: Histogram])[],
): Family {
  const labels = Object.keys(read()[0]?.[0] ?? {})
  const samples = () =>
    read().flatMap(([own, ms]) => [
      ...bounds.map(bound => ({
        suffix: '_bucket',
        labels: { ...own, le: String(bound) },
        value: ms.countUpTo(bound * 1_000),
      })),
      { suffix: '_bucket', labels: { ...own, le: '+Inf' }, value: ms.count },
      { suffix: '_sum', labels: own, value: ms.sum / 1_000 },
      { suffix: '_count', labels: own, value: ms.count },
    ])
  return { name, help, type: 'histogram', labels, samples }
}

/**
 * Creates a family for each name in `table`, read from the existing `sources`, each with its labels. Fields of one
 * family have the same help and the same label names.
 */
export function fieldFamilies<T>(
  table: FieldTable<T>,
  labels: readonly string[],
  sources: () => readonly (readonly [labels: readonly string[], source: Readonly<Pick<T, NumbersOf<T>>>])[],
): Family[] {
  const read = onceATurn(sources)
  const rows = Object.entries(table) as [NumbersOf<T>, FieldSpec][]
  return Array.from(
    Map.groupBy(rows, ([, [name]]) => name),
    ([name, fields]) => {
      const [, help, , own = {}] = fields[0]![1]
      return labeled(name, help, [...labels, ...Object.keys(own)], () =>
        read().flatMap(([values, source]) =>
          fields.map(([field, [, , factor = 1, extra = {}]]) => [
            [...values, ...Object.values(extra)],
            (source[field] as number) * factor,
          ]),
        ),
      )
    },
  )
}

/** Reads once for all fields of a scrape, which happens in one turn, so that sums over all calls are computed once. */
function onceATurn<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined
  return () => {
    if (known) return known.value
    known = { value: read() }
    queueMicrotask(() => {
      known = undefined
    })
    return known.value
  }
}

function typeOf(name: string): 'counter' | 'gauge' {
  return name.endsWith('_total') ? 'counter' : 'gauge'
}
