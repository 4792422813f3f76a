import { buildApp } from '../../src/app/app.ts'
import { FakeTranslator } from '../../src/simulator/fakes/fake-translator.ts'
import { code, head, table } from './markdown.ts'

const ABOUT = `All metrics at \`/metrics\`. Access, alerts and traces: [metrics](../operations/metrics.md).

Durations are in seconds. Each bound of a histogram holds within 5 %. The metrics of a part that is not configured, such as the
Discord bot, have no values. Labels have few values: values from outside, such as languages, are counted in up to 100
combinations; further ones are counted as \`other\`. For ends, failures and outbound calls, every label value exists from the
start, so that its first occurrence counts as an increase.
`

/** Returns `docs/reference/metrics.md`. */
export async function metricsPage(): Promise<string> {
  await using app = await buildApp(
    {
      host: '127.0.0.1',
      port: 0,
      service: {},
      languages: { speaks: 'en-us', hears: 'es-es' },
      twilio: { authTokens: [], insecure: true },
    },
    { translator: new FakeTranslator() },
  )
  const rows = app.server.metrics.families
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type, labels, help }) => [code(name), type, labels.map(code).join(', '), help])
  return `${head('Metrics', ABOUT)}\n${table(['metric', 'type', 'labels', 'description'], rows)}`
}
