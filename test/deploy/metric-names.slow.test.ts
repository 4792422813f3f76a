import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { FakeTranslator } from '../../simulator/fakes/fake-translator.ts'
import { type App, buildApp } from '../../src/app/app.ts'
import { listedMetrics } from '../../src/web/metrics/metric.ts'
import { pages } from '../docs/pages.ts'

/** Labels that Prometheus adds. */
const ADDED = ['job', 'instance']

let app: App
/** Labels of every series, by its name. */
let series: ReadonlyMap<string, readonly string[]>
/** Names of metrics, and of their series. */
let names: ReadonlySet<string>
beforeAll(async () => {
  app = await buildApp(
    {
      ...{ host: '127.0.0.1', port: 0, service: {}, languages: { speaks: 'en-us', hears: 'es-es' } },
      twilio: { authToken: [], insecure: true },
    },
    { translator: new FakeTranslator() },
  )
  const metrics = listedMetrics(app.server.metrics)
  series = new Map(
    metrics.flatMap(({ name, type, labelNames: labels }) =>
      type === 'histogram'
        ? [
            [`${name}_bucket`, [...labels, 'le']],
            [`${name}_sum`, labels],
            [`${name}_count`, labels],
          ]
        : [[name, labels]],
    ),
  )
  names = new Set([...series.keys(), ...metrics.map(({ name }) => name)])
})
afterAll(() => app.close())

const METRIC = /\bdragoman_\w+\b/g

/** Faults of a PromQL expression: series that do not exist, and labels that they do not have. */
function faultsOf(expr: string): string[] {
  const bare = expr.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  const used = [...bare.matchAll(/\b((?:dragoman|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)]
  if (used.length === 0 && !/\b(?:up|ALERTS)\b/.test(bare)) return [`no metric in ${expr}`]
  const labels = new Set([...ADDED, ...used.flatMap(([, name]) => series.get(name!) ?? [])])
  return [
    ...used.flatMap(([, name, matchers = '']) => {
      const own = series.get(name!)
      if (!own) return [`${name} does not exist`]
      return labelsOf(matchers)
        .filter(label => !own.includes(label) && !ADDED.includes(label))
        .map(label => `${name} has no label ${label}`)
    }),
    ...[...bare.matchAll(/\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g)]
      .flatMap(([, list]) => list!.split(',').map(label => label.trim()))
      .filter(label => !labels.has(label))
      .map(label => `no metric in ${expr} has the label ${label}`),
  ]
}

function labelsOf(matchers: string): string[] {
  return Array.from(matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g), ([, label]) => label!)
}

/** Names in a text that no metric has. */
function unknownIn(text: string): string[] {
  return (text.match(METRIC) ?? []).filter(name => !names.has(name))
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: Readonly<Record<string, string>>
}
const { groups } = parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8')) as {
  groups: { rules: Rule[] }[]
}
const rules = groups.flatMap(({ rules: each }) => each)

describe('metrics and labels exist', () => {
  test('in the Grafana dashboard', () => {
    const dashboard = JSON.parse(readFileSync('deploy/grafana/dashboard.json', 'utf8')) as {
      panels: { targets?: { expr: string; legendFormat?: string }[] }[]
    }
    const targets = dashboard.panels.flatMap(({ targets: each = [] }) => each)
    expect(targets.length).toBeGreaterThan(60)
    for (const { expr, legendFormat = '' } of targets) {
      expect(faultsOf(expr)).toEqual([])
      // A label of the legend that the expression sums away is shown as nothing.
      for (const [, label] of legendFormat.matchAll(/\{\{\s*(\w+)\s*\}\}/g)) expect(expr).toContain(label)
    }
    // The Prometheus data source is chosen on import.
    expect(JSON.stringify(dashboard)).not.toMatch(/"uid":"(?!\$\{datasource\}|dragoman")/)
  })

  test('in the alerts, their texts and their tests', () => {
    expect(rules.length).toBeGreaterThan(15)
    for (const { alert, expr, annotations } of rules) {
      expect([alert, faultsOf(expr)]).toEqual([alert, []])
      expect([alert, unknownIn(Object.values(annotations).join('\n'))]).toEqual([alert, []])
    }
    const { tests } = parse(readFileSync('deploy/prometheus/alerts.test.yml', 'utf8')) as {
      tests: { input_series: { series: string }[] }[]
    }
    for (const { series: input } of tests.flatMap(({ input_series }) => input_series))
      expect(faultsOf(input)).toEqual([])
  })

  test('in the documentation, which lists every alert', () => {
    for (const { path, text } of pages()) expect([path, unknownIn(text)]).toEqual([path, []])
    const listed = readFileSync('docs/operations/metrics.md', 'utf8').match(/(?<=^\| `)Dragoman\w+/gm)
    expect(listed?.sort()).toEqual(rules.map(({ alert }) => alert).sort())
  })
})
