/** Updates the table of metrics in docs/operations/metrics.md: `node scripts/metrics.ts`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { buildApp } from '../src/app/app.ts'
import { FakeTranslator } from '../src/simulator/fakes/fake-translator.ts'
import { metricsTable } from './metrics-table.ts'

const PAGE = new URL('../docs/operations/metrics.md', import.meta.url)

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
const table = metricsTable(app.server.metrics.families)
const page = readFileSync(PAGE, 'utf8')
writeFileSync(PAGE, page.replace(/\| metric \| type \| labels \| \|\n(\|.*\n)*/, `${table}\n`))
