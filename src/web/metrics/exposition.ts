import { type Metric, Registry } from 'prom-client'
import type { Family } from './family.ts'

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
