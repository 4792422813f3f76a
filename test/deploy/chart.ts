import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { GoTemplates } from '../support/deploy/go-template.ts'

export const CHART = new URL('../../deploy/helm/dragoman/', import.meta.url).pathname

/** A Kubernetes object of any kind. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly spec: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, string>>
}

type Values = Readonly<Record<string, unknown>>

/** The chart with `values` over its own, as returned by `helm template line .`. */
export async function rendered(values: Values = {}): Promise<Manifest[]> {
  const templates = new GoTemplates()
  const folder = join(CHART, 'templates')
  const names = (await readdir(folder)).sort()
  for (const name of names) templates.add(path(name), await readFile(join(folder, name), 'utf8'))
  const chart = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8')) as Record<string, unknown>
  const context = {
    Values: merged(parse(await readFile(join(CHART, 'values.yaml'), 'utf8')), values),
    Chart: Object.fromEntries(
      Object.entries(chart).map(([name, value]) => [name[0]?.toUpperCase() + name.slice(1), value]),
    ),
    Release: { Name: 'line', Namespace: 'voice', Service: 'Helm' },
    Template: { BasePath: 'dragoman/templates' },
  }
  const manifests: Manifest[] = []
  for (const name of names) {
    const text = templates.render(path(name), context)
    if (!name.endsWith('.yaml')) continue
    for (const document of parseAllDocuments(text)) {
      if (document.errors.length > 0) throw new Error(`${name}: ${document.errors[0]?.message}\n${text}`)
      const manifest = document.toJS() as Manifest | null
      if (manifest) manifests.push(manifest)
    }
  }
  return manifests
}

function path(name: string): string {
  return `dragoman/templates/${name}`
}

function merged(own: Values, over: Values): Values {
  const all: Record<string, unknown> = { ...own }
  for (const [name, value] of Object.entries(over)) {
    const below = all[name]
    all[name] = isTable(below) && isTable(value) ? merged(below, value) : value
  }
  return all
}

function isTable(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
