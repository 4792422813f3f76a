import { FakeTranslator } from '../../simulator/fakes/fake-translator.ts'
import { buildApp } from '../../src/app/app.ts'
import { listedMetrics } from '../../src/web/metrics/metric.ts'
import { code, head, table } from './markdown.ts'

const ABOUT = `All metrics at \`/metrics\`. Access, alerts and traces: [metrics](../operations/metrics.md).

Durations are in seconds. The bounds of the histograms of speech hold within 5 %. The metrics of a part that is not configured, such as the
Discord bot, have no values. Labels have few values: languages, which come from outside, are counted in up to 100
pairs; further ones are counted as \`other\`. For ends, failures and outbound calls, every label value exists from the
start, so that its first occurrence counts as an increase. Those of the process (\`process_…\`, \`nodejs_…\`) are the usual ones of
prom-client.
`

/** Returns `docs/reference/metrics.md`. */
export async function metricsPage(): Promise<string> {
  await using app = await buildApp(
    {
      host: '127.0.0.1',
      port: 0,
      service: {},
      languages: { speaks: 'en-us', hears: 'es-es' },
      twilio: { authToken: [], insecure: true },
    },
    { translator: new FakeTranslator() },
  )
  const rows = listedMetrics(app.server.metrics)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type, labelNames, help }) => [code(name), type, labelNames.map(code).join(', '), help])
  return `${head('Metrics', ABOUT)}\n${table(['metric', 'type', 'labels', 'description'], rows)}`
}
