import type { OutgoingHttpHeaders, RequestListener } from 'node:http'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { type Clock, systemClock } from '../../src/common/clock.ts'
import { isLocalAddress, publicLookup, type Resolve } from '../../src/net/outbound-guard.ts'
import { audioAddress, streamedAudio } from '../../src/service/client/streamed-audio.ts'
import { httpSender } from '../../src/web/webhooks/event.ts'
import { LOCAL_HOSTS } from '../support/security/spellings.ts'

const SERVICE = 'https://translation.example.com'
/** Address of the session's own connection. */
const FAR = '93.184.216.34'
const PUBLIC = { address: FAR, family: 4 }
const PRIVATE = { address: '127.0.0.1', family: 4 }

/** A local server that must never be contacted: every received byte is counted. */
let trap: { server: Server; port: number; connections: number; bytes: number }

beforeAll(async () => {
  const seen = { connections: 0, bytes: 0 }
  const server = createServer(socket => {
    seen.connections++
    socket.on('data', data => {
      seen.bytes += data.length
    })
    socket.on('error', () => {})
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  trap = Object.assign(seen, { server, port: (server.address() as AddressInfo).port })
})

afterAll(() => new Promise(resolve => trap.server.close(resolve)))

/** A name server that gives each answer once, and repeats the last one. */
function answering(...answers: (readonly { address: string; family: number }[])[]): Resolve {
  let asked = 0
  return (_name, _options, done) => done(null, answers[Math.min(asked++, answers.length - 1)]!)
}

/** Reads streamed audio from `start` to its end; returns the failure, or all bytes. */
async function fetched(
  start: string,
  {
    allowed = [] as string[],
    base = SERVICE,
    peer = FAR as string | undefined,
    resolve = undefined as Resolve | undefined,
    clock = systemClock as Clock,
  } = {},
) {
  const pieces: Uint8Array[] = []
  try {
    const address = audioAddress(start, base, allowed, peer, resolve)
    const { signal } = new AbortController()
    for await (const bytes of streamedAudio({
      address,
      apiKey: 'the-key',
      clock,
      signal,
    }))
      pieces.push(bytes)
    return Buffer.concat(pieces).toString()
  } catch (error) {
    return error as { code: string; error: string; description: string }
  }
}

const REFUSED = { code: 'blocked', error: 'address_not_allowed' }

describe('the address of streamed audio', () => {
  test(`in ${LOCAL_HOSTS.length} spellings of local addresses: no request is sent`, async () => {
    expect(new Set(LOCAL_HOSTS).size).toBeGreaterThanOrEqual(200)
    // The trap itself: it counts connections.
    await new Promise(resolve =>
      connect(trap.port, '127.0.0.1')
        .once('connect', resolve)
        .on('close', () => {})
        .end('x', () => {}),
    )
    await expect.poll(() => trap.bytes).toBe(1)
    trap.bytes = trap.connections = 0
    for (const host of LOCAL_HOSTS) {
      for (const start of [
        `http://${host}:${trap.port}/a`,
        `https://${host}:${trap.port}/a`,
        `//${host}:${trap.port}/a`,
      ])
        expect(await fetched(start), start).toMatchObject(REFUSED)
      // It would be rejected even as the service's own origin, because the session's connection is remote.
      const url = URL.parse(`http://${host}:${trap.port}`)
      if (url) expect(await fetched('/a', { base: url.origin }), host).toMatchObject(REFUSED)
      if (url) expect(isLocalAddress(url.hostname), `${host} is ${url.hostname}`).toBe(true)
    }
    expect([trap.connections, trap.bytes]).toEqual([0, 0])
  })

  test('with other schemes, credentials and ports of other protocols: no request is sent', async () => {
    const starts = [
      'file:///etc/passwd',
      'data:audio/mpeg;base64,AAAA',
      'gopher://translation.example.com/_x',
      'ws://translation.example.com/',
      'ftp://translation.example.com/',
      'blob:https://translation.example.com/1',
      'javascript:alert(1)',
      'about:blank',
      'https://user:word@translation.example.com/',
      'https://user@translation.example.com/',
      'https://translation.example.com@127.0.0.1/',
      'https://translation.example.com.evil.example/',
      'https://translation.example.com:8443/',
      'http://translation.example.com/',
      '\\\\127.0.0.1\\a',
      '/\\127.0.0.1/a',
      'https:\\\\127.0.0.1/a',
      'http:127.0.0.1/a',
      '\t//127.0.0.1/a',
    ]
    for (const start of starts) expect(await fetched(start), start).toMatchObject(REFUSED)
    for (const port of [22, 25, 110, 445, 6379, 3306, 5432, 9200, 11211])
      for (const origin of [`https://audio.example.com:${port}`, `http://93.184.216.34:${port}`])
        expect(await fetched(`${origin}/a`, { allowed: [origin] }), origin).toMatchObject(REFUSED)
    expect([trap.connections, trap.bytes]).toEqual([0, 0])
  })

  test('whose name resolves to a local address, among others or only the second time: no request is sent', async () => {
    const origin = `http://audio.example.com:${trap.port}`
    const allowed = [origin]
    for (const answers of [
      [[PRIVATE]],
      [[PUBLIC, PRIVATE]],
      [[PRIVATE, PUBLIC]],
      [[{ address: '::1', family: 6 }, PUBLIC]],
      [[{ address: '::ffff:7f00:1', family: 6 }]],
      [[]],
    ])
      expect(await fetched(`${origin}/a`, { allowed, resolve: answering(...answers) })).toMatchObject(REFUSED)
    // One answer is both checked and connected to: there is no second query.
    let asked = 0
    const rebinding: Resolve = (_name, _options, done) => done(null, [asked++ === 0 ? PUBLIC : PRIVATE])
    const judged = await new Promise<unknown[]>(resolve =>
      publicLookup(false, rebinding)('audio.example.com', {}, (...answer) => resolve(answer)),
    )
    expect([judged.slice(1), asked]).toEqual([[FAR, 4], 1])
    expect(await fetched(`${origin}/a`, { allowed, resolve: rebinding })).toMatchObject(REFUSED)
    expect([trap.connections, trap.bytes]).toEqual([0, 0])
  })
})

describe('what is fetched', () => {
  /** Reads what `listener` serves, as the audio of a service on this machine. */
  async function served(listener: RequestListener, clock: Clock = systemClock) {
    const server = createHttpServer(listener)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    try {
      return await fetched('/audio', {
        base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        peer: '127.0.0.1',
        clock,
      })
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  test('does not follow redirects', async () => {
    for (const status of [301, 302, 303, 307, 308])
      for (const location of [
        `http://127.0.0.1:${trap.port}/`,
        `//127.0.0.1:${trap.port}`,
        'file:///etc/passwd',
        '/again',
        '',
      ])
        expect(
          await served((_request, response) => void response.writeHead(status, { location }).end()),
        ).toMatchObject({ code: 'blocked', error: 'redirected' })
    expect(trap.connections).toBe(0)
  })

  test('is not read if it is compressed or declares another type', async () => {
    const seen: (string | undefined)[] = []
    for (const headers of [
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'br' },
      { 'content-type': 'text/html' },
      { 'content-type': 'application/json; charset=utf-8' },
      { 'content-type': 'image/svg+xml' },
      { 'content-type': 'audio' },
    ])
      expect(
        await served((request, response) => {
          seen.push(request.headers['accept-encoding'])
          response.writeHead(200, headers as OutgoingHttpHeaders).end('<script>')
        }),
      ).toMatchObject({ code: 'blocked', error: 'not_audio' })
    expect(new Set(seen)).toEqual(new Set(['identity']))
    for (const type of ['audio/mpeg', 'audio/mp3; x=1', 'application/octet-stream', 'Audio/MPEG'])
      expect(
        await served(
          (_request, response) => void response.writeHead(200, { 'content-type': type }).end('mp3'),
        ),
      ).toBe('mp3')
  })

  test('is aborted if it does not end, or is too slow', async () => {
    let sent = 0
    const endless: RequestListener = (_request, response) => {
      const piece = Buffer.alloc(65_536)
      const more = () => {
        while (!response.destroyed && response.write(piece)) sent += piece.length
      }
      response.on('drain', more)
      more()
    }
    expect(await served(endless)).toMatchObject({
      code: 'blocked',
      error: 'too_much_audio',
    })
    expect(sent).toBeLessThan(100_000_000)
    const clock = new FakeClock()
    const slow: RequestListener = (_request, response) => {
      response.writeHead(200)
      response.flushHeaders()
      clock.advance(30_000)
    }
    expect(await served(slow, clock)).toMatchObject({ code: 'timeout', error: 'no_audio' })
  })
})

describe('webhooks', () => {
  const post = (url: string, { local = false, resolve = undefined as Resolve | undefined } = {}) =>
    httpSender(resolve)({ url, local, headers: {}, body: '{}' }, AbortSignal.timeout(5_000)).then(
      String,
      (error: { code?: string }) => error.code,
    )

  test('does not come from a name that resolves into this network, unless the settings allow it', async () => {
    const url = `http://hooks.example.com:${trap.port}/`
    for (const answers of [[PRIVATE], [PUBLIC, PRIVATE]])
      expect(await post(url, { resolve: answering(answers) })).toBe('ADDRESS_REFUSED')
    expect([trap.connections, trap.bytes]).toEqual([0, 0])
    const seen: string[] = []
    const server = createHttpServer((request, response) => {
      seen.push(String(request.headers.host))
      response.writeHead(302, { location: `http://127.0.0.1:${trap.port}/` }).end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    // The operator's own address is allowed; a redirect is still not followed.
    expect(await post(`http://127.0.0.1:${port}/`)).toBe('302')
    expect(await post(`http://receiver:${port}/`, { local: true, resolve: answering([PRIVATE]) })).toBe('302')
    expect(seen).toEqual([`127.0.0.1:${port}`, `receiver:${port}`])
    expect(trap.connections).toBe(0)
    server.closeAllConnections()
    server.close()
  })
})
