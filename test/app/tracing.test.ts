import { expect, test } from 'vitest'
import { FakeTranslator } from '../../simulator/fakes/fake-translator.ts'
import { buildApp } from '../../src/app/app.ts'
import { collector } from '../support/tracing/collector.ts'

const config = {
  host: '127.0.0.1',
  port: 0,
  service: {},
  languages: { speaks: 'en-us', hears: 'es-es' },
  twilio: { authToken: [], insecure: true },
}

test('traces as configured and sends the last spans before the server exits', async () => {
  await using there = await collector()
  const parts = { translator: new FakeTranslator() }
  const app = await buildApp({ ...config, tracing: { url: `${there.url}/otlp`, serviceName: 'mine' } }, parts)
  app.relay.observer.emit('utterance', {
    ...{ room: 'r', speaker: 'anna', listener: 'ben', utterance: 'u1', audioMs: 400 },
    stage: 'dropped',
  })
  expect(await app.server.metrics.metrics()).toContain('dragoman_trace_spans_failed_total 0\n')
  await app.close()
  expect(there.requests.map(({ path }) => path)).toEqual(['/otlp'])
  expect(there.resources[0]).toMatchObject({ 'service.name': 'mine' })
  expect(there.spans.map(({ name }) => name)).toEqual(['utterance'])
})

test('traces nothing without a collector address', async () => {
  await using app = await buildApp(config, { translator: new FakeTranslator() })
  expect(await app.server.metrics.metrics()).not.toMatch(/^dragoman_trace_spans_failed_total/m)
})
