import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { SECURITY_HEADERS } from '../../../src/net/http-hardening.ts'
import { BearerKeys } from '../../../src/web/control/auth.ts'
import { controlSettingsSchema } from '../../../src/web/control/settings.ts'
import {
  type DashboardOptions,
  dashboard,
  type PhoneListener,
  type SimulatedCalls,
} from '../../../src/web/dashboard/dashboard.ts'
import type { SimulatedOrder } from '../../../src/web/dashboard/protocol.ts'
import { ViewerHub } from '../../../src/web/dashboard/viewer-hub.ts'
import { LogLines } from '../../support/log-lines.ts'
import { until } from '../../support/until.ts'
import { watched } from '../../support/web/dashboard-harness.ts'

const KEY = 'a-key-that-nobody-would-guess'
const PHONE = { speaks: 'en-us', hears: 'es-es', recording: 'one' }

interface Told {
  readonly id: string
  readonly error: string
  readonly description: string
}

const told = async (answer: Response) => (await answer.json()) as Told

/** Simulated calls without phones. */
class FakeCalls implements SimulatedCalls {
  readonly calls = []
  readonly orders: SimulatedOrder[] = []
  readonly ears: PhoneListener[] = []
  stopped = 0

  async recordings() {
    return [{ id: 'one', title: 'One', language: 'en-us', seconds: 3 }]
  }

  async place(order: SimulatedOrder) {
    this.orders.push(order)
    return { id: 'simulated-1', room: 'simulated-1', placedAt: 1, endsAt: 2, phones: [] }
  }

  async end(id: string) {
    return id === 'simulated-1'
  }

  listen(id: string, phone: number, ear: PhoneListener) {
    if (id !== 'simulated-1' || phone !== 0) return undefined
    this.ears.push(ear)
    return { [Symbol.dispose]: () => void this.stopped++ }
  }

  phoneOf() {
    return null
  }
}

async function served(wishes: Partial<DashboardOptions> & { maxAttemptsPerMinute?: number } = {}) {
  const world = await watched()
  const { clock } = world
  const { maxAttemptsPerMinute, ...options } = wishes
  const settings = controlSettingsSchema.parse({ keys: [{ name: 'desk', key: KEY }] })
  const audience = new ViewerHub({ clock, maxViewers: 2, feed: () => world.look() })
  const calls = new FakeCalls()
  const server = Fastify({ forceCloseConnections: true })
  await server.register(dashboard, {
    prefix: '/dashboard',
    keys: new BearerKeys(settings, clock, { maxAttemptsPerMinute }),
    audience,
    clock,
    simulated: calls,
    languages: async () => [{ id: 'en-us', heard: true, spoken: true, into: ['es-es'] }],
    log: new LogLines(),
    ...options,
  })
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => server.close())
  const ask = (method: string, path: string, { body, key = KEY }: { body?: unknown; key?: string } = {}) =>
    fetch(`${url}/dashboard${path}`, {
      method,
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return { ...world, audience, calls, server, ask, url }
}

const ROUTES = [
  ['GET', '/events'],
  ['GET', '/offer'],
  ['POST', '/calls'],
  ['DELETE', '/calls/simulated-1'],
  ['GET', '/calls/simulated-1/phones/0/sound'],
] as const

test('the list of routes is complete', async () => {
  const { server } = await served()
  const routes = server.printRoutes({ commonPrefix: false })
  const methods = Array.from(routes.matchAll(/\((\w[\w, ]*)\)/g), ([, names = '']) => names.split(', '))
  const open = methods.flat().filter(method => method !== 'HEAD')
  // The page itself, with and without a slash.
  expect(open).toHaveLength(ROUTES.length + 2)
})

test.each(ROUTES)(
  '%s %s requires a valid key, and returns 404 if none is configured',
  async (method, path) => {
    const { ask, calls, audience } = await served()
    const body = method === 'POST' ? { phones: [PHONE] } : undefined
    const without = await ask(method, path, { key: '', body })
    expect([without.status, (await told(without)).error]).toEqual([401, 'key_missing'])
    const wrong = await ask(method, path, { key: 'wrong', body })
    expect([wrong.status, (await told(wrong)).error]).toEqual([401, 'key_wrong'])
    expect(wrong.headers.get('cache-control')).toBe('no-store')
    const inAddress = await ask(method, `${path}?key=${KEY}&token=${KEY}`, { key: '', body })
    expect(inAddress.status).toBe(401)
    expect([calls.orders, calls.ears, audience.stats.viewers]).toEqual([[], [], 0])
    const { ask: closed } = await served({ keys: undefined })
    const answer = await closed(method, path, { body })
    expect([answer.status, (await told(answer)).error]).toEqual([404, 'control_closed'])
  },
)

test('limits wrong keys across all routes', async () => {
  const { ask } = await served({ maxAttemptsPerMinute: 2 })
  for (const [method, path] of ROUTES.slice(0, 2)) await ask(method, path, { key: 'wrong' })
  const answer = await ask('GET', '/offer', { key: 'wrong' })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '30'])
  expect((await ask('GET', '/offer')).status).toBe(200)
})

test('the page is public and contains no data', async () => {
  const { ask } = await served()
  const answer = await ask('GET', '', { key: '' })
  const page = await answer.text()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(answer.headers.get('content-security-policy')).toContain("connect-src 'self'")
  expect(page).not.toMatch(/<style|style=|<script>| on\w+=|https?:/)
})

test('the stream sends events with matching headers, and stops when the reader disconnects', async () => {
  const { ask, clock, audience, listening } = await served()
  const answer = await ask('GET', '/events')
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(answer.headers.get(name)).toBe(value)
  const reader = answer.body!.getReader()
  const text = async () => new TextDecoder().decode((await reader.read()).value)
  expect(await text()).toMatch(/^event: snapshot\ndata: \{.*\}\n\n$/)
  clock.advance(1_000)
  expect(await text()).toMatch(/event: delta\n/)
  await reader.cancel()
  await until(() => audience.stats.viewers === 0, 5_000, 'the end of the stream')
  expect(listening()).toBe(true)
  clock.advance(15_000)
  expect(listening()).toBe(false)
})

test('limits the number of viewers', async () => {
  const { ask } = await served()
  await Promise.all([ask('GET', '/events'), ask('GET', '/events')])
  const third = await ask('GET', '/events')
  expect([third.status, (await told(third)).error]).toEqual([503, 'too_many_readers'])
})

test('offers the languages of the service, and defaults if the service is unavailable', async () => {
  const { ask } = await served()
  expect(await (await ask('GET', '/offer')).json()).toEqual({
    languages: [{ id: 'en-us', heard: true, spoken: true, into: ['es-es'] }],
    recordings: [{ id: 'one', title: 'One', language: 'en-us', seconds: 3 }],
  })
  const away = await served({ languages: () => Promise.reject(new Error('away')), simulated: undefined })
  expect(await (await away.ask('GET', '/offer')).json()).toEqual({ languages: [], recordings: [] })
})

test('places the requested call', async () => {
  const { ask, calls } = await served()
  const answer = await ask('POST', '/calls', { body: { phones: [PHONE, { ...PHONE, speaks: null }] } })
  expect([answer.status, (await told(answer)).id]).toEqual([201, 'simulated-1'])
  expect(calls.orders).toEqual([{ phones: [PHONE, { ...PHONE, speaks: null }] }])
  expect((await ask('DELETE', '/calls/simulated-1')).status).toBe(200)
  const gone = await ask('DELETE', '/calls/simulated-9')
  expect([gone.status, (await told(gone)).error]).toEqual([404, 'call_unknown'])
})

test.each([
  [{}],
  [{ phones: [] }],
  [{ phones: [PHONE, PHONE, PHONE] }],
  [{ phones: [{ ...PHONE, hears: 'spanish' }] }],
  [{ phones: [{ ...PHONE, recording: '../../etc/passwd' }] }],
  [{ phones: [{ ...PHONE, more: 1 }] }],
  ['text'],
])('rejects an invalid call with the reason: %j', async body => {
  const { ask, calls } = await served()
  const answer = await ask('POST', '/calls', { body })
  const { error, description } = await told(answer)
  expect([answer.status, error, calls.orders]).toEqual([400, 'value_not_allowed', []])
  expect(description.length).toBeGreaterThan(10)
})

test('rejects simulated calls where they are unavailable', async () => {
  const { ask } = await served({ simulated: undefined })
  const answer = await ask('POST', '/calls', { body: { phones: [PHONE] } })
  expect([answer.status, (await told(answer)).error]).toEqual([409, 'not_now'])
})

test('streams the samples that a phone hears until it hangs up or the reader disconnects', async () => {
  const { ask, calls } = await served()
  const answer = await ask('GET', '/calls/simulated-1/phones/0/sound')
  expect(answer.headers.get('content-type')).toBe('application/octet-stream')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const reader = answer.body!.getReader()
  // Borrowed for the call only: later changes must not affect the output.
  const pcm = Int16Array.of(1, -2, 3)
  calls.ears[0]!.hear(pcm)
  pcm.fill(9)
  expect((await reader.read()).value).toEqual(new Uint8Array([1, 0, 254, 255, 3, 0]))
  calls.ears[0]!.end()
  expect((await reader.read()).done).toBe(true)
  await until(() => calls.stopped === 1, 5_000, 'the end of listening')
  for (const path of [
    '/calls/simulated-1/phones/1/sound',
    '/calls/x/phones/0/sound',
    '/calls/simulated-1/phones/x/sound',
  ])
    expect((await ask('GET', path)).status).toBe(404)
})
