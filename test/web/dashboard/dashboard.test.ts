import Fastify, { type FastifyRequest } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import type { Fleet } from '../../../src/core/model/fleet.ts'
import { SECURITY_HEADERS } from '../../../src/net/http-hardening.ts'
import { BearerKeys } from '../../../src/web/control/auth.ts'
import { FORWARDED } from '../../../src/web/control/forwarding.ts'
import { controlSettingsSchema } from '../../../src/web/control/settings.ts'
import {
  type DashboardOptions,
  dashboard,
  OtherNodes,
  type SimulatedCalls,
} from '../../../src/web/dashboard/dashboard.ts'
import type { DashboardState, SimulatedOrder } from '../../../src/web/dashboard/state.ts'
import { Viewers } from '../../../src/web/dashboard/viewers.ts'
import { LogLines } from '../../support/log-lines.ts'
import { until } from '../../support/until.ts'
import { START, watched } from '../../support/web/dashboard-harness.ts'

const KEY = 'a-key-that-nobody-would-guess'
const PHONE = { speaks: 'en-us', hears: 'es-es', recording: 'one' }
const STREAM = { accept: 'text/event-stream' }

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

  async recordings() {
    return [{ id: 'one', title: 'One', language: 'en-us', seconds: 3 }]
  }

  async place(order: SimulatedOrder) {
    this.orders.push(order)
    return { id: 'simulated-1', room: 'simulated-1', placedAt: 1, endsAt: 2 }
  }

  async end(id: string) {
    return id === 'simulated-1'
  }
}

interface Wishes extends Partial<DashboardOptions> {
  readonly maxAttemptsPerMinute?: number
}

interface Asked {
  readonly body?: unknown
  readonly key?: string
  readonly headers?: Record<string, string>
}

async function served({ maxAttemptsPerMinute = 10, ...options }: Wishes = {}) {
  const world = await watched()
  const { clock, sources } = world
  const settings = controlSettingsSchema.parse({ keys: [{ name: 'desk', key: KEY }] })
  const reads = { count: 0 }
  const read = () => {
    reads.count++
    return JSON.stringify({ node: 'a', version: '1', status: 'up', state: world.state() })
  }
  const viewers = new Viewers({ clock, maxViewers: 2, read })
  const calls = new FakeCalls()
  const server = Fastify({ forceCloseConnections: true })
  await server.register(dashboard, {
    prefix: '/dashboard',
    keys: new BearerKeys(settings, clock, { maxAttemptsPerMinute }),
    ...{ viewers, read, wall: sources.wall },
    simulated: calls,
    languages: async () => [{ id: 'en-us', heard: true, spoken: true, into: ['es-es'] }],
    log: new LogLines(),
    ...options,
  })
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => server.close())
  const ask = (method: string, path: string, { body, key = KEY, headers = {} }: Asked = {}) =>
    fetch(`${url}/dashboard${path}`, {
      method,
      headers: {
        ...headers,
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return { ...world, viewers, reads, calls, server, ask }
}

const ROUTES = [
  ['GET', '/state'],
  ['GET', '/offer'],
  ['POST', '/calls'],
  ['DELETE', '/calls/simulated-1'],
] as const

test('the list of routes is complete', async () => {
  const { server } = await served()
  const routes = server.printRoutes({ commonPrefix: false })
  const methods = Array.from(routes.matchAll(/\((\w[\w, ]*)\)/g), ([, names = '']) => names.split(', '))
  const open = methods.flat().filter(method => method !== 'HEAD')
  // The page itself, with and without a slash, and its two libraries.
  expect(open).toHaveLength(ROUTES.length + 4)
})

test.each(ROUTES)(
  '%s %s requires a valid key, and returns 404 if none is configured',
  async (method, path) => {
    const { ask, calls, viewers } = await served()
    const body = method === 'POST' ? { phones: [PHONE] } : undefined
    const without = await ask(method, path, { key: '', body })
    expect([without.status, (await told(without)).error]).toEqual([401, 'key_missing'])
    const wrong = await ask(method, path, { key: 'wrong', body })
    expect([wrong.status, (await told(wrong)).error]).toEqual([401, 'key_wrong'])
    expect(wrong.headers.get('cache-control')).toBe('no-store')
    const inAddress = await ask(method, `${path}?key=${KEY}&token=${KEY}`, { key: '', body })
    expect(inAddress.status).toBe(401)
    expect([calls.orders, viewers.count]).toEqual([[], 0])
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

test('the libraries of the page are modules without imports', async () => {
  const { ask } = await served()
  for (const path of ['/preact.js', '/htm.js']) {
    const answer = await ask('GET', path, { key: '' })
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(await answer.text()).not.toMatch(/\bimport\b/)
  }
})

test('the state is one JSON, or the same every second as events until the reader disconnects', async () => {
  const { ask, clock, viewers, join, reads } = await served()
  join('anna', { speaks: 'en-us', hears: 'es-es', name: 'Anna' })
  const once = (await (await ask('GET', '/state')).json()) as DashboardState
  expect(once).toMatchObject({
    at: START + 1_000,
    nodes: [{ node: 'a', state: { rooms: [{ name: 'r', participants: [{ name: 'Anna' }] }] } }],
  })
  const answer = await ask('GET', '/state', { headers: STREAM })
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(answer.headers.get(name)).toBe(value)
  const reader = answer.body!.getReader()
  const next = async () => {
    const text = new TextDecoder().decode((await reader.read()).value)
    return JSON.parse(/^event: state\ndata: (.+)\n\n$/.exec(text)?.[1] ?? '{}') as DashboardState
  }
  expect(await next()).toEqual(once)
  join('bob')
  clock.advance(1_000)
  const { at, nodes } = await next()
  expect([at, nodes[0]!.state!.rooms[0]!.participants.length]).toEqual([START + 2_000, 2])
  await reader.cancel()
  await until(() => viewers.count === 0, 5_000, 'the end of the stream')
  const { count } = reads
  clock.advance(10_000)
  expect(reads.count).toBe(count)
})

test('limits the number of viewers, and disconnects those that do not read', async () => {
  const { ask, viewers, clock } = await served()
  await Promise.all([1, 2].map(() => ask('GET', '/state', { headers: STREAM })))
  const third = await ask('GET', '/state', { headers: STREAM })
  expect([third.status, (await told(third)).error]).toEqual([503, 'too_many_readers'])
  expect(viewers.count).toBe(2)
  const slow = new Viewers({ clock, maxViewers: 1, read: () => '{}' })
  let cut = 0
  const outlet = { write() {}, unread: 2_000_000, end() {}, destroy: () => cut++ }
  slow.add(outlet, async own => own)
  expect([slow.count, cut]).toEqual([0, 1])
})

test('in a fleet, the state has that of each other node, and tells which do not answer', async () => {
  const load = { legs: 0, rooms: 0, draining: false, silentMs: 0, skewMs: 0, incarnation: '', address: '' }
  const names = ['c', 'a', 'b', 'd']
  const nodes = names.map(node => ({ ...load, node, version: '1', silentMs: node === 'd' ? 9_000 : 0 }))
  const asked: string[] = []
  const others = async (_request: FastifyRequest, wanted = (_: (typeof nodes)[number]) => true) => {
    asked.push(...nodes.filter(wanted).map(({ node }) => node))
    return [{ nodes: [{ node: 'b', state: { rooms: [] } }] }, { nodes: 'something else' }]
  }
  const fleet = { node: 'a', nodes } as unknown as Fleet
  const { ask } = await served({ others: new OtherNodes(fleet, { others }) })
  const state = (await (await ask('GET', '/state')).json()) as DashboardState
  expect(state.nodes.map(({ node, status, state }) => [node, status, state !== null])).toEqual([
    ['a', 'up', true],
    ['b', 'up', true],
    ['c', 'up', false],
    ['d', 'silent', false],
  ])
  expect(asked).not.toContain('d')
  // A node that is asked by another answers for itself, once.
  const part = await ask('GET', '/state', { headers: { ...STREAM, [FORWARDED]: 'b' } })
  expect(((await part.json()) as DashboardState).nodes).toHaveLength(1)
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
