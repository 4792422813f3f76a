import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { sign } from '../../src/bridges/phone/twilio/index.ts'
import { guarded, KEY, PUBLIC, ringing, TOKEN } from '../support/security/guarded.ts'
import { exchanged, rawConnection, upgradeText } from '../support/security/raw.ts'

/** No local address is exempt: 127.0.0.1, 127.0.0.2 … are separate attackers. */
const STRICT = { exemptAddresses: [] as string[] }
const UPGRADE = upgradeText('/twilio/media')

/** Opens a call's media stream up to the point where it runs on its own. */
async function stream(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/twilio/media`, {
    headers: { 'x-twilio-signature': sign(TOKEN, `${PUBLIC.replace('https', 'wss')}/twilio/media`) },
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return socket
}

describe('connections', () => {
  test('takes 5 s and 9 s by default', async () => {
    const { app } = await guarded()
    const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = app.server.server
    expect({ headersTimeout, requestTimeout, keepAliveTimeout, timeout }).toEqual({
      headersTimeout: 5_000,
      requestTimeout: 9_000,
      keepAliveTimeout: 5_000,
      timeout: 60_000,
    })
  })

  test('limits connections per address and in total; a call in progress continues', async () => {
    const { app, port } = await guarded({
      limits: { ...STRICT, connectionsPerAddress: 5, maxConnections: 12 },
    })
    const call = await stream(port)
    const { counters } = app.requestGuard
    // It has sent Twilio's signature, so it counts as authenticated.
    expect([counters.connections, counters.unauthenticated]).toEqual([1, 0])
    const from = (address: string, many: number) =>
      Array.from({ length: many }, () => rawConnection(port, address))
    const flood = from('127.0.0.7', 20)
    await expect.poll(() => counters.displaced).toBe(15)
    await expect.poll(() => counters.unauthenticated).toBe(5)
    const others = [...from('127.0.0.8', 5), ...from('127.0.0.9', 5)]
    // One place is kept free for clients with credentials, and unauthenticated clients displace each other.
    await expect.poll(() => counters.displaced).toBeGreaterThanOrEqual(20)
    await expect.poll(() => counters.connections).toBe(11)
    const answered = new Promise(resolve => call.once('pong', resolve))
    call.ping()
    await answered
    for (const each of [...flood, ...others]) await each[Symbol.asyncDispose]()
    await expect.poll(() => counters.unauthenticated).toBe(0)
    expect(call.readyState).toBe(WebSocket.OPEN)
    call.terminate()
  })

  test('clients with a key or a signature take no place of unauthenticated clients', async () => {
    const { app, port } = await guarded({ limits: { ...STRICT, connectionsPerAddress: 3 } })
    const open = Array.from({ length: 3 }, () => rawConnection(port))
    await expect.poll(() => app.requestGuard.counters.unauthenticated).toBe(3)
    for (const each of open)
      each.socket.write(`GET /v1/rooms HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n\r\n`)
    await expect.poll(() => app.requestGuard.counters.unauthenticated).toBe(0)
    const more = rawConnection(port)
    await expect.poll(() => app.requestGuard.counters.unauthenticated).toBe(1)
    expect(app.requestGuard.counters.displaced).toBe(0)
    for (const each of [...open, more]) await each[Symbol.asyncDispose]()
  })
})

describe('requests', () => {
  test('refuses upgrades without a signature, and counts them; others and calls are unaffected', async () => {
    const clock = new FakeClock()
    const limits = { ...STRICT, unauthenticatedPerSecond: 2, unauthenticatedPerSecondTotal: 1_000 }
    const { app, port, log } = await guarded({ limits }, { clock })
    const tried: string[] = []
    // One of them could be signed, so each is verified.
    for (let n = 0; n < 30; n++)
      tried.push((await exchanged(port, UPGRADE, { from: '127.0.0.7' })).slice(9, 12))
    expect(tried).toEqual(Array(30).fill('403'))
    expect(log.complaints.filter(line => line.includes('invalid signature'))).toHaveLength(30)
    const page = 'GET /v1/docs HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    expect((await exchanged(port, page, { from: '127.0.0.7' })).slice(9, 12)).toBe('429')
    expect((await exchanged(port, page, { from: '127.0.0.8' })).slice(9, 12)).toBe('200')
    expect(app.requestGuard.counters.requestsRejectedByAddress).toBe(1)
    clock.advance(1_000)
    expect((await exchanged(port, page, { from: '127.0.0.7' })).slice(9, 12)).toBe('200')
  })

  test('answers 429 and Retry-After on an open connection', async () => {
    const { app, port } = await guarded(
      { limits: { ...STRICT, unauthenticatedPerSecond: 1 } },
      { clock: new FakeClock() },
    )
    const one = rawConnection(port)
    one.socket.write('GET /v1/docs HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(12))
    await one.over
    const statuses = [...one.text().matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)
    expect(statuses.slice(0, 11)).toEqual([...Array(10).fill('200'), '429'])
    expect(one.text()).toMatch(/retry-after: 1\r\n/i)
    expect(app.requestGuard.counters.requestsRejectedByAddress).toBeGreaterThan(0)
  })

  test('never counts signed requests', async () => {
    const { app, webhook } = await guarded(
      { limits: { ...STRICT, unauthenticatedPerSecond: 1, unauthenticatedPerSecondTotal: 1 } },
      { clock: new FakeClock() },
    )
    for (let n = 0; n < 40; n++) expect((await webhook('voice', ringing(`CA${n}`))).status).toBe(200)
    expect(app.requestGuard.counters.requestsRejectedByAddress).toBe(0)
  })

  test('answers unauthenticated clients with 503 beyond the total limit, and still admits Twilio', async () => {
    const { app, port, webhook } = await guarded(
      { limits: { unauthenticatedPerSecondTotal: 1 } },
      { clock: new FakeClock() },
    )
    const statuses: number[] = []
    for (let n = 0; n < 15; n++) statuses.push((await fetch(`http://127.0.0.1:${port}/v1/docs`)).status)
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(5).fill(503)])
    expect((await webhook('voice', ringing())).status).toBe(200)
    const call = await stream(port)
    call.terminate()
    const asked = await fetch(`http://127.0.0.1:${port}/v1/rooms`, {
      headers: { authorization: `Bearer ${KEY}` },
    })
    expect(asked.status).toBe(200)
    // Invalid credentials do not help.
    expect(
      (await webhook('voice', ringing(), { 'x-twilio-signature': 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=' })).status,
    ).toBe(403)
    expect(app.requestGuard.counters.requestsRejectedInTotal).toBe(5)
  })

  test('behind a proxy in trustProxy, counts each client by its forwarded address', async () => {
    const { port } = await guarded(
      { trustProxy: ['loopback'], limits: { ...STRICT, unauthenticatedPerSecond: 1 } },
      { clock: new FakeClock() },
    )
    const status = async (client: string) =>
      (await fetch(`http://127.0.0.1:${port}/v1/docs`, { headers: { 'x-forwarded-for': client } })).status
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) statuses.push(await status(`2001:db8:1:2::${n.toString(16)}`))
    // One network of 64 bits is one client.
    expect(statuses).toEqual([...Array(10).fill(200), 429])
    expect(await status('2001:db8:1:3::1')).toBe(200)
    expect(await status('203.0.113.9')).toBe(200)
  })
})
