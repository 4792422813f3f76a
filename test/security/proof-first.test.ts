import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { sign } from '../../src/bridges/phone/twilio/index.ts'
import { markAuthenticated, RequestGuard } from '../../src/net/request-guard.ts'
import { Talker } from '../support/browser/page-client.ts'
import { SERVED_LIMITS } from '../support/limits.ts'
import { guarded, KEY, PUBLIC, ringing, TOKEN } from '../support/security/guarded.ts'
import { fakeService } from '../support/service/fake-service.ts'
import { query, TestClient } from '../support/service/test-client.ts'

/** The limits of strangers are used up after ten requests, and the clock stands still. */
const TIGHT = { exemptAddresses: [], unauthenticatedPerSecond: 1, unauthenticatedPerSecondTotal: 1 }
/** Strangers have the same address as everybody else. */
const SHARED = { 'x-forwarded-for': '2001:db8:1::7' }

async function ask(url: string, headers: Record<string, string> = {}, method = 'GET', body?: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const asked = request(url, { method, headers: { ...SHARED, ...headers }, agent: false }, answer => {
    let text = ''
    answer.on('data', (data: Buffer) => {
      text += data
      // Event streams do not end.
      if (String(answer.headers['content-type']).startsWith('text/event-stream')) answer.destroy()
    })
    answer.once('close', () => resolve({ status: answer.statusCode ?? 0, text }))
  })
  asked.once('error', reject)
  asked.end(body)
  return promise
}

async function opens(url: string, headers: Record<string, string>): Promise<boolean> {
  const socket = new WebSocket(url, { headers: { ...SHARED, ...headers } })
  onTestFinished(() => socket.terminate())
  return new Promise(resolve => {
    socket.once('open', () => resolve(true)).once('error', () => resolve(false))
  })
}

describe('when strangers of the same address have used up every limit', () => {
  test('a key, a signature, a link and a token are served, each on new connections; wrong ones gain nothing', async () => {
    const { port } = await guarded(
      {
        trustProxy: ['loopback'],
        limits: TIGHT,
        browser: { access: 'invited' },
        twilio: {
          authToken: [TOKEN],
          numbers: { '+15005550001': { menu: { languages: ['en-us', 'es-es'] } } },
        },
        metrics: { access: 'key' },
      },
      { clock: new FakeClock() },
    )
    const url = `http://127.0.0.1:${port}`
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const json = { 'content-type': 'application/json', ...bearer(KEY) }
    const post = async (path: string, body: object) =>
      JSON.parse((await ask(`${url}/v1${path}`, json, 'POST', JSON.stringify(body))).text) as {
        token: string
      }
    await post('/rooms', { name: 'r' })
    const captions = (await post('/rooms/r/captions/link', {})).token
    const talk = (await post('/rooms/r/links', {})).token

    const strangers: number[] = []
    for (let n = 0; n < 15; n++) strangers.push((await ask(`${url}/v1/docs`)).status)
    expect(strangers).toEqual([...Array(10).fill(200), ...Array(5).fill(429)])
    expect((await ask(`${url}/v1/docs`, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(503)

    const webhook = (call: string, signature?: string) => {
      const fields = ringing(call)
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': signature ?? sign(TOKEN, `${PUBLIC}/twilio/voice`, fields),
      }
      return ask(`${url}/twilio/voice`, headers, 'POST', String(new URLSearchParams(fields)))
    }
    for (let n = 0; n < 20; n++) {
      expect((await ask(`${url}/v1/rooms`, bearer(KEY))).status).toBe(200)
      expect((await ask(`${url}/dashboard/state`, bearer(KEY))).status).toBe(200)
      expect((await ask(`${url}/metrics`, bearer(KEY))).status).toBe(200)
      expect((await webhook(`CA${n}`)).status).toBe(200)
    }
    const [sound = ''] = /<Play>([^<]+)/.exec((await webhook('CA20')).text)?.slice(1) ?? []
    const { pathname, search } = new URL(sound.replaceAll('&amp;', '&'))
    expect((await ask(url + pathname + search)).status).toBe(200)
    const media = { 'x-twilio-signature': sign(TOKEN, `${PUBLIC.replace('https', 'wss')}/twilio/media`) }
    expect(await opens(`ws://127.0.0.1:${port}/twilio/media`, media)).toBe(true)
    // Guests have a rate of their own: ten requests, here.
    expect((await ask(`${url}/v1/rooms/r/transcript?token=${captions}`)).status).not.toBe(503)
    expect((await ask(`${url}/v1/rooms/r/captions`, bearer(captions))).status).not.toBe(503)
    // There is no service whose languages could be listed.
    expect((await ask(`${url}/talk/languages`, bearer(talk))).text).toContain('service-unavailable')
    const visitor = await Talker.open(url, SHARED)
    onTestFinished(() => visitor.socket.terminate())
    await visitor.hello({ link: talk })

    const wrong = [
      await ask(`${url}/v1/rooms`, bearer('wrong')),
      await ask(`${url}/dashboard/state`, bearer('wrong')),
      await webhook('CA99', 'AAAAAAAAAAAAAAAAAAAAAAAAAAA='),
      await ask(`${url}/talk/languages`, bearer('wrong')),
      await ask(`${url}/`, { accept: 'text/html', ...bearer(KEY) }),
      await ask(`${url}/v1/docs`, bearer(KEY)),
      await ask(`${url}/captions/r?token=${captions}`),
    ]
    expect(wrong.map(({ status }) => status)).toEqual([401, 401, 403, 503, 429, 429, 429])
    expect(wrong[3]?.text).toContain('busy')
    expect(await opens(`ws://127.0.0.1:${port}/twilio/media`, {})).toBe(false)
  })

  test('so are the keys of the embedded service, on every transport', async () => {
    const key = 'a-key-that-nobody-guesses'
    const { url } = await fakeService(
      { trustProxy: ['loopback'], limits: TIGHT, apiKeys: [key] },
      { clock: new FakeClock() },
    )
    const strangers: number[] = []
    for (let n = 0; n < 12; n++) strangers.push((await ask(`${url}/nothing`)).status)
    expect(strangers.slice(9)).toEqual([404, 429, 429])
    for (let n = 0; n < 20; n++)
      expect((await ask(`${url}/api/languages`, { 'x-api-key': key })).status).toBe(200)
    expect((await ask(`${url}/api/languages`, { 'x-api-key': 'wrong' })).status).toBe(401)
    for (const transports of [['websocket'], ['polling']]) {
      const client = new TestClient(`${url}/tts`, key, query(), { transports, extraHeaders: SHARED })
      onTestFinished(() => client.close())
      await client.until('start')
    }
  })
})

test('strangers from 11 000 networks leave nothing to each other, and everything to a request with a proof', () => {
  const limits = SERVED_LIMITS
  const guard = new RequestGuard({ limits, proxies: ['loopback'], clock: new FakeClock() })
  const from = (n: number, headers: Record<string, string> = {}) =>
    ({
      method: 'GET',
      url: '/v1/rooms',
      headers: {
        'x-forwarded-for': `2001:${(n >> 8).toString(16)}:${(n & 255).toString(16)}::1`,
        ...headers,
      },
      socket: { remoteAddress: '127.0.0.1' } as Socket,
    }) as unknown as IncomingMessage
  let passed = 0
  for (let n = 0; n < 11_000; n++) if (!guard.rejection(from(n))) passed++
  expect(passed).toBe(limits.unauthenticatedPerSecondTotal * 10)
  for (let n = 0; n < 2_000; n++) {
    const proven = from(n * 6, { authorization: 'Bearer x' })
    expect(guard.rejection(proven, 'headers')).toBeUndefined()
    markAuthenticated(proven)
  }
  // Without a route that verifies it, a header is no proof.
  expect(guard.rejection(from(1, { authorization: 'Bearer x' }))).toBeDefined()
})
