import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { sign } from '../../src/bridges/phone/twilio/index.ts'
import { Talker } from '../support/browser/page-client.ts'
import { type Guarded, guarded, KEY, PUBLIC, ringing, TOKEN } from '../support/security/guarded.ts'
import { exchanged, type RawConnection, rawConnection } from '../support/security/raw.ts'
import { until } from '../support/until.ts'

/** No local address is exempt: 127.0.0.1, 127.0.0.2 … are separate attackers. */
const STRICT = { exemptAddresses: [] as string[] }

/** Sends one request on its own connection; returns the status of the response, 0 for none. */
async function status(port: number, lines: readonly string[], from: string, host = 'a'): Promise<number> {
  const [first, ...rest] = lines
  const text = [first, `Host: ${host}`, 'Connection: close', ...rest, '', ''].join('\r\n')
  const answer = await exchanged(port, text, { from, ms: 5_000 })
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
}

/** A stream of captions that stays open, or is rejected. */
function reader(port: number, token: string, from: string): RawConnection {
  const connection = rawConnection(port, from)
  connection.socket.write(
    `GET /v1/rooms/r/captions?token=${token} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  )
  onTestFinished(() => connection[Symbol.asyncDispose]())
  return connection
}

const reading = (readers: readonly RawConnection[]) =>
  readers.filter(({ text, socket }) => text().startsWith('HTTP/1.1 200') && !socket.destroyed).length

async function answered(readers: readonly RawConnection[]): Promise<void> {
  await until(() => readers.every(({ text, socket }) => text() !== '' || socket.destroyed), 25_000, 'answers')
}

async function room(port: number) {
  const ask = async (path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as { token: string }
  }
  await ask('/rooms', { name: 'r' })
  return {
    captions: (await ask('/rooms/r/captions/link', {})).token,
    talk: (await ask('/rooms/r/links', {})).token,
  }
}

/** All legitimate clients, each on new connections: a key, Twilio's webhooks and media, supervisors, an invited guest. */
async function expectOthersServed({ app, port, webhook }: Guarded, talk: string): Promise<void> {
  for (let n = 0; n < 20; n++) {
    expect(
      await status(port, ['GET /v1/rooms HTTP/1.1', `Authorization: Bearer ${KEY}`], '127.0.0.200'),
    ).toBe(200)
    const call = await webhook('voice', ringing(`CA${n}`), { connection: 'close' })
    expect(call.status).toBe(200)
  }
  for (const path of ['/live', '/ready', '/health'])
    expect(await status(port, [`GET ${path} HTTP/1.1`], '127.0.0.1', `127.0.0.1:${port}`)).toBe(200)
  const media = new WebSocket(`ws://127.0.0.1:${port}/twilio/media`, {
    headers: { 'x-twilio-signature': sign(TOKEN, `${PUBLIC.replace('https', 'wss')}/twilio/media`) },
  })
  await new Promise((resolve, reject) => media.once('open', resolve).once('error', reject))
  media.terminate()
  const guest = await Talker.open(`http://127.0.0.1:${port}`)
  await guest.hello({ link: talk })
  expect(app.relay.rooms.get('r')?.participants.size).toBe(1)
  guest.socket.terminate()
}

describe('a link to captions lifts no limit', () => {
  test('one address holds the maximum number of streams without affecting others', {
    timeout: 60_000,
  }, async () => {
    const it = await guarded({ limits: STRICT, browser: { access: 'invited' } })
    const { port, app } = it
    const { captions, talk } = await room(port)
    const flood = Array.from({ length: 120 }, () => reader(port, captions, '127.0.0.7'))
    await answered(flood)
    expect(reading(flood)).toBe(48)
    await expect.poll(() => app.requestGuard.counters.guests).toBe(48)
    // Its limit is that of any unauthenticated client: no more connections than that.
    expect(app.requestGuard.counters.connections).toBeLessThanOrEqual(64)
    await expectOthersServed(it, talk)
    const other = reader(port, captions, '127.0.0.8')
    await answered([other])
    expect(reading([other])).toBe(1)
    await Promise.all(flood.map(each => each[Symbol.asyncDispose]()))
    await expect.poll(() => app.requestGuard.counters.guests).toBe(1)
  })

  test('its holders cannot send requests faster than unauthenticated clients', async () => {
    const it = await guarded(
      { limits: { ...STRICT, unauthenticatedPerSecond: 1 } },
      { clock: new FakeClock() },
    )
    const { captions } = await room(it.port)
    const asked = async (from: string) =>
      await status(it.port, [`GET /v1/rooms/r/transcript?token=${captions} HTTP/1.1`], from)
    const statuses: number[] = []
    for (let n = 0; n < 14; n++) statuses.push(await asked('127.0.0.7'))
    expect(statuses.slice(0, 10)).not.toContain(429)
    expect(statuses.slice(10)).toEqual(Array(4).fill(503))
    expect(await asked('127.0.0.8')).not.toBe(503)
  })

  test('admits legitimate clients even with the connection table full from many addresses', {
    timeout: 60_000,
  }, async () => {
    const limits = { ...STRICT, maxConnections: 200, connectionsPerAddress: 40 }
    const it = await guarded({
      limits,
      browser: { access: 'invited' },
      control: { keys: [{ name: 'desk', key: KEY }], readersPerLink: 1_000 },
    })
    const { port, app } = it
    const { captions, talk } = await room(port)
    const from = (n: number) => `127.0.1.${n}`
    const streams = Array.from({ length: 160 }, (_, n) => reader(port, captions, from(n % 8)))
    const silent = Array.from({ length: 160 }, (_, n) => rawConnection(port, from(8 + (n % 8))))
    onTestFinished(async () => {
      for (const each of silent) await each[Symbol.asyncDispose]()
    })
    await answered(streams)
    await expect.poll(() => app.requestGuard.counters.displaced).toBeGreaterThan(100)
    // Clients with a link can use half of the capacity without a key.
    await expect.poll(() => app.requestGuard.counters.guests).toBeLessThanOrEqual(90)
    expect(app.requestGuard.counters.connections).toBeLessThanOrEqual(200)
    expect(app.requestGuard.counters.rejectedInTotal).toBe(0)
    await expectOthersServed(it, talk)
    // The key reads captions too, regardless of the number of readers with links.
    const own = rawConnection(port, '127.0.0.200')
    onTestFinished(() => own[Symbol.asyncDispose]())
    own.socket.write(`GET /v1/rooms/r/captions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n\r\n`)
    await until(() => own.text().startsWith('HTTP/1.1 200'), 5_000, 'captions')
  })
})

describe('answers probes during a flood', () => {
  /** Behind a proxy, from so many addresses that none of them exceeds its own limit. */
  async function flooded(port: number): Promise<number[]> {
    const asked = (n: number) =>
      fetch(`http://127.0.0.1:${port}/docs`, { headers: { 'x-forwarded-for': `198.51.100.${n % 200}` } })
    const statuses: number[] = []
    for (let n = 0; n < 40; n++) statuses.push((await asked(n)).status)
    return statuses
  }

  test('from this machine and its network, but not those forwarded by a proxy', async () => {
    const it = await guarded(
      { trustProxy: ['loopback'], limits: { unauthenticatedPerSecondTotal: 1 } },
      { clock: new FakeClock() },
    )
    expect(await flooded(it.port)).toContain(503)
    for (let n = 0; n < 50; n++)
      for (const path of ['/live', '/ready', '/health'])
        expect(await status(it.port, [`GET ${path} HTTP/1.1`], '127.0.0.1', 'localhost')).toBe(200)
    // A kubelet requests the pod's address.
    expect(await status(it.port, ['GET /live HTTP/1.1'], '127.0.0.9', '10.1.2.3:8080')).toBe(200)
    const forwarded = ['GET /live HTTP/1.1', 'X-Forwarded-For: 203.0.113.9']
    expect(await status(it.port, forwarded, '127.0.0.1', 'localhost')).toBe(503)
    expect(await status(it.port, ['GET /v1/docs HTTP/1.1'], '127.0.0.1', 'localhost')).toBe(503)
  })

  test('limits the reserve of the network by address: exhausting it affects no other address', async () => {
    const it = await guarded({ limits: { unauthenticatedPerSecondTotal: 1 } }, { clock: new FakeClock() })
    await flooded(it.port)
    const asked = (from: string) => status(it.port, ['GET /live HTTP/1.1'], from, '10.1.2.3:8080')
    const statuses: number[] = []
    for (let n = 0; n < 105; n++) statuses.push(await asked('127.0.0.7'))
    expect(statuses).toEqual([...Array(100).fill(200), ...Array(5).fill(503)])
    expect(await asked('127.0.0.8')).toBe(200)
  })
})
