import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FakeLeg } from '../../simulator/fakes/fake-leg.ts'
import { FakeTranslator } from '../../simulator/fakes/fake-translator.ts'
import { type App, buildApp } from '../../src/app/app.ts'
import { BridgeError } from '../../src/common/errors.ts'
import { programOf } from '../deploy/proxy.ts'
import { sine } from '../support/transcode/tone.ts'

const KEY = 'a-key-of-the-desk-that-nobody-would-guess'
const config = {
  host: '127.0.0.1',
  port: 0,
  service: {},
  publicUrl: 'https://bridge.example.com',
  languages: { speaks: 'en-us', hears: 'es-es' },
  control: { keys: [{ name: 'desk', key: KEY }] },
  webhooks: [{ url: 'http://127.0.0.1:8099/', secret: 'a-secret-of-the-receiver', name: 'desk' }],
  twilio: { authToken: ['0123456789abcdef0123456789abcdef'] },
  limits: { maxEventLoopLagMs: 60_000 },
}

let app: App
let url: string
beforeAll(async () => {
  app = await buildApp(config, { translator: new FakeTranslator() })
  url = await app.listen()
})
afterAll(() => app.close())

/** Value of one metric line. */
function figure(text: string, line: string): number | undefined {
  const found = text.split('\n').find(each => each.startsWith(`${line} `))
  return found === undefined ? undefined : Number(found.slice(line.length + 1))
}
const scrape = async () => (await fetch(`${url}/metrics`)).text()

describe('the metrics', () => {
  test('report current values on each scrape', async () => {
    const before = await scrape()
    // Counters used by alerts exist from the start: Prometheus sees no increase in a counter that first appears as 5.
    for (const line of [
      'dragoman_participants_left_total{channel="twilio",reason="failed"}',
      'dragoman_failures_total{code="LEG_LOST"}',
      'dragoman_dials_total{outcome="busy"}',
      'dragoman_telephony_streams{carrier="twilio"}',
      'dragoman_http_rejected_total{server="bridge",what="request",scope="total"}',
    ])
      expect(figure(before, line)).toBe(0)
    const legs = ['anna', 'ben'].map(id => new FakeLeg(id))
    for (const [at, leg] of legs.entries())
      app.relay.admit(leg, { room: 'r', speaks: at ? 'es-es' : 'en-us', hears: at ? 'es-es' : 'en-us' })
    legs[0]!.say(sine(440, 200))
    const during = await scrape()
    expect(figure(during, 'dragoman_legs')).toBe(2)
    expect(figure(during, 'dragoman_rooms')).toBe(1)
    expect(figure(during, 'dragoman_participants{channel="fake"}')).toBe(2)
    expect(figure(during, 'dragoman_frames_received_total')).toBe(
      (figure(before, 'dragoman_frames_received_total') ?? 0) + 10,
    )
    await legs[0]!.close({ kind: 'failed', error: new BridgeError('LEG_SILENT', 'nothing came') })
    await legs[1]!.close({ kind: 'hangup', by: 'remote' })
    await expect.poll(() => app.relay.legs).toBe(0)
    await expect.poll(scrape, { timeout: 60_000 }).toContain('{channel="fake",reason="failed"} 1')
    const after = await scrape()
    expect(figure(after, 'dragoman_participants_left_total{channel="fake",reason="hangup"}')).toBe(1)
    expect(figure(after, 'dragoman_failures_total{code="LEG_SILENT"}')).toBe(1)
    // Metrics do not reveal participants or rooms.
    expect(after).not.toMatch(/anna|ben|room=/)
  })

  test('include stages and latencies as histograms in seconds with growing buckets', async () => {
    const { metrics } = app.relay
    for (const ms of [90, 300, 1_200, 60_000]) metrics.speechToTranslationMs.record(ms)
    metrics.stagesMs.recognition.record(340)
    const text = await scrape()
    const bucket = (le: string) => figure(text, `dragoman_speech_to_translation_seconds_bucket{le="${le}"}`)
    expect(['0.1', '0.5', '1.5', '30', '+Inf'].map(bucket)).toEqual([1, 2, 3, 3, 4])
    expect(figure(text, 'dragoman_speech_to_translation_seconds_sum')).toBeCloseTo(61.59)
    expect(figure(text, 'dragoman_stage_seconds_count{stage="recognition"}')).toBe(1)
    expect(figure(text, 'dragoman_stage_seconds_bucket{stage="recognition",le="0.5"}')).toBe(1)
    expect(figure(text, 'dragoman_stage_seconds_bucket{stage="recognition",le="0.3"}')).toBe(0)
  })

  test('count requests by route, not by address', async () => {
    await fetch(`${url}/v1/rooms/secret-room`, { headers: { authorization: `Bearer ${KEY}` } })
    await fetch(`${url}/nothing/here`)
    const text = await scrape()
    expect(text).toMatch(
      /dragoman_http_requests_total\{route="\/v1\/rooms\/:room",method="GET",status="404"\} 1/,
    )
    expect(figure(text, 'dragoman_http_requests_total{route="none",method="GET",status="404"}')).toBe(1)
    expect(text).not.toContain('secret-room')
  })

  test('have a bounded number of series for any number of languages', async () => {
    for (let n = 0; n < 300; n++)
      app.relay.observer.emit('caption', {
        ...{ room: 'r', speaker: 's', utterance: `${n}`, final: true },
        ...{ from: 'en-us', to: `${String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26))}-xx` },
      } as never)
    const lines = (await scrape()).split('\n').filter(line => line.startsWith('dragoman_captions_total{'))
    expect(lines.length).toBeLessThanOrEqual(101)
    expect(lines).toContain('dragoman_captions_total{from="other",to="other"} 200')
  })
})

describe('access to the metrics', () => {
  const ask = (headers: Record<string, string>) => app.server.inject({ url: '/metrics', headers })

  test('is open to local programs, but not through a local proxy or under another host name', async () => {
    expect((await fetch(`${url}/metrics`)).status).toBe(200)
    for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
      const behind = await fetch(`${url}/metrics`, { headers: { [name]: '203.0.113.7' } })
      expect([name, behind.status]).toEqual([name, 401])
    }
    expect((await ask({ host: 'attacker.example.com' })).statusCode).toBe(401)
    expect((await ask({ host: 'localhost:8080' })).statusCode).toBe(200)
  })

  test('is open to a remote program with a key', async () => {
    const from = (headers: Record<string, string>) =>
      app.server.inject({
        url: '/metrics',
        remoteAddress: '203.0.113.7',
        headers: { host: 'localhost', ...headers },
      })
    expect((await from({})).statusCode).toBe(401)
    expect((await from({ authorization: 'Bearer wrong' })).json()).toMatchObject({ error: 'key_wrong' })
    const read = await from({ authorization: `Bearer ${KEY}` })
    expect([read.statusCode, read.headers['content-type']]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
  })

  test.each([
    ['key', {}, 401],
    ['key', { authorization: `Bearer ${KEY}` }, 200],
    ['open', {}, 200],
  ] as const)('in mode %s with %j: %d', async (access, headers, status) => {
    await using other = await buildApp(
      { ...config, metrics: { access } },
      { translator: new FakeTranslator() },
    )
    const asked = { url: '/metrics', remoteAddress: access === 'open' ? '203.0.113.7' : '127.0.0.1', headers }
    expect((await other.server.inject(asked)).statusCode).toBe(status)
  })

  test('is local only when no key is configured', async () => {
    await using other = await buildApp({ ...config, control: {} }, { translator: new FakeTranslator() })
    expect(
      (await other.server.inject({ url: '/metrics', headers: { host: '127.0.0.1:1' } })).statusCode,
    ).toBe(200)
    const from = {
      url: '/metrics',
      remoteAddress: '203.0.113.7',
      headers: { authorization: `Bearer ${KEY}` },
    }
    expect((await other.server.inject(from)).statusCode).toBe(404)
  })
})

const promtool = programOf('promtool')
describe.skipIf(!promtool)('promtool', () => {
  const run = (args: string[], input?: string) => {
    const cwd = new URL('../../deploy/prometheus/', import.meta.url)
    const { status, stdout, stderr } = spawnSync(promtool!, args, { cwd, input, encoding: 'utf8' })
    return { status, said: `${stdout}${stderr}` }
  }

  test('accepts the metrics and rejects invalid ones', async () => {
    // The library’s metrics of the process do not follow all the rules.
    const own = (await scrape()).split('\n\n').filter(metric => metric.startsWith('# HELP dragoman_'))
    expect(run(['check', 'metrics'], `${own.join('\n')}\n`)).toEqual({ status: 0, said: '' })
    expect(run(['check', 'metrics'], '# TYPE badCounter counter\nbadCounter 1\n').status).not.toBe(0)
  })

  test('accepts the settings and rules, and the rules fire when they should', () => {
    expect(run(['check', 'config', 'prometheus.yml'])).toMatchObject({ status: 0 })
    expect(run(['check', 'rules', 'alerts.yml'])).toMatchObject({ status: 0 })
    expect(run(['test', 'rules', 'alerts.test.yml'])).toMatchObject({ status: 0 })
  })
})
