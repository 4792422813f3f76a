import { type Metric, Registry } from 'prom-client'
import type { Family } from './family.ts'

/** All metrics of one program, as text in Prometheus' format. Each asks its owner when it is asked for, and costs nothing before. */
export class Exposition {
  readonly #registry = new Registry()
  readonly families: readonly Family[]

  /** Throws for two families of one name. */
  constructor(families: readonly Family[]) {
    this.families = families
    // The library's own counters would be second books; it asks any object that can answer.
    for (const family of families) this.#registry.registerMetric(asked(family) as unknown as Metric)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Never rejects for what one family does: it is left out then. */
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
