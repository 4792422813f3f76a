import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { trust } from '../../simulator/discord/voice/certificate.ts'
import { placeCall, ScriptedService, tones } from '../../simulator/index.ts'
import { type App, buildApp } from '../../src/app/app.ts'
import { endToEnd } from '../../src/cli/doctor/end-to-end.ts'
import { encodeWav } from '../../src/transcode/wav.ts'
import { good, HOST, settings, TOKEN } from '../support/cli/doctor-harness.ts'
import { sine } from '../support/transcode/tone.ts'
import { pause, until } from '../support/until.ts'
import { programOf, RealProxy } from './proxy.ts'

const KEY = 'a-key-that-nobody-would-guess'
/** Loopback has many addresses: a client that is not the proxy comes from one of them. */
const CLIENT = '127.0.0.9'

let known: Disposable
let folder: string
let audio: string
beforeAll(async () => {
  known = trust(good.certificate)
  folder = await mkdtemp(join(tmpdir(), 'dragoman-proxies-'))
  audio = join(folder, 'said.wav')
  await writeFile(audio, encodeWav(sine(600, 700), 16_000))
})
afterAll(async () => {
  known[Symbol.dispose]()
  await rm(folder, { recursive: true, force: true })
})

describe.each(['nginx', 'caddy'] as const)('behind %s, as in deploy/', kind => {
  const there = test.skipIf(programOf(kind) === undefined)
  let service: ScriptedService
  let app: App
  let port: number
  let proxy: RealProxy
  const own = () => ({
    service: { url: service.url, apiKey: service.apiKey },
    trustProxy: ['127.0.0.1'],
    control: { keys: [{ name: 'desk', key: KEY }] },
  })

  beforeAll(async () => {
    if (programOf(kind) === undefined) return
    service = await ScriptedService.listen({ answer: tones() })
    app = await buildApp(settings({ port: 0, ...own() }), { serverLimits: { maxAttemptsPerMinute: 1 } })
    port = Number(new URL(await app.listen()).port)
    proxy = await RealProxy.start(kind, { host: HOST, certificate: good, upstream: port })
  })
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]()
    await app?.close()
    await service?.close()
  })

  /** Requests the public name, from a client's address. */
  function ask(path: string, headers: Record<string, string> = {}, from = CLIENT): Promise<IncomingMessage> {
    const { hostname: host, port } = new URL(proxy.address)
    return new Promise((resolve, reject) => {
      const options = {
        host,
        port,
        path,
        servername: HOST,
        localAddress: from,
        agent: false,
        ca: good.certificate,
      }
      const sent = request({ ...options, headers: { host: HOST, ...headers } }, resolve)
      sent.on('error', reject)
      sent.end()
    })
  }
  const statusOf = async (...asked: Parameters<typeof ask>) => {
    const answer = await ask(...asked)
    answer.resume()
    return answer.statusCode
  }

  there('accepts a signed call, which connects and is translated', async () => {
    const config = settings({ port, ...own() })
    const checks = await endToEnd(config, { connectTo: proxy.address, audio }, [])
    expect(checks.map(({ name, status, found }) => [name, status, status === 'ok' ? '' : found])).toEqual([
      ['public address answers', 'ok', ''],
      ['Twilio signature', 'ok', ''],
      ['media stream', 'ok', ''],
      ['translated call', 'ok', ''],
    ])
  })

  there('forwards captions without delay, and keeps a call during a reload of nginx', async () => {
    await using phone = await placeCall({
      webhook: `https://${HOST}/twilio/voice?room=desk&speaks=en-us&hears=es-es`,
      resolve: { [HOST]: proxy.address },
      authToken: TOKEN,
    })
    await until(() => app.relay.rooms.has('desk'), 5_000, 'the room')
    const captions = await ask('/v1/rooms/desk/captions', { authorization: `Bearer ${KEY}` })
    expect([captions.statusCode, captions.headers['content-type']]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
    ])
    let read = ''
    captions.setEncoding('utf8').on('data', chunk => {
      read += chunk
    })
    // Caddy has no such signal, and before 2.7 a reload by its API cuts open connections.
    if (kind === 'nginx') proxy.reload()
    await pause(300)
    void phone.say(sine(600, 700, 8_000, 8_000))
    await until(() => read.includes('event: caption'), 10_000, 'a caption')
    expect(phone.live).toBe(true)
    expect(phone.report().errors).toEqual([])
    await phone.hangUp()
    captions.destroy()
  })

  /** Opens the socket of the talk page; returns the status if it is rejected. */
  function talk(origin: string): Promise<number | 'open'> {
    const { host: place } = new URL(proxy.address)
    const options = { servername: HOST, headers: { host: HOST }, origin, ca: good.certificate }
    const socket = new WebSocket(`wss://${place}/talk/socket`, options)
    return new Promise((resolve, reject) => {
      socket.once('open', () => {
        socket.terminate()
        resolve('open')
      })
      socket.once('unexpected-response', (asked, { statusCode = 0 }) => {
        asked.destroy()
        resolve(statusCode)
      })
      socket.on('error', reject)
    })
  }

  there('serves the talk page, and its socket only to that page', async () => {
    const page = await ask('/', { accept: 'text/html' })
    page.resume()
    expect([page.statusCode, page.headers['content-type']]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ])
    expect(await talk(`https://${HOST}`)).toBe('open')
    expect(await talk('https://elsewhere.example')).toBe(403)
  })

  there('trusts only the proxy for client addresses', async () => {
    const wrong = { authorization: 'Bearer wrong', 'x-forwarded-for': '203.0.113.1' }
    expect(await statusOf('/v1/rooms', wrong, '127.0.0.21')).toBe(401)
    expect(await statusOf('/v1/rooms', { ...wrong, 'x-forwarded-for': '203.0.113.2' }, '127.0.0.21')).toBe(
      429,
    )
    expect(await statusOf('/v1/rooms', wrong, '127.0.0.22')).toBe(401)
  })

  there('does not expose internal routes', async () => {
    for (const path of ['/live', '/ready', '/health', '/metrics'])
      expect(await statusOf(path), path).toBe(404)
  })
})
