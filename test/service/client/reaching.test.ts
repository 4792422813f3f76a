import { createServer as createHttp, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer as createTcp } from 'node:net'
import { createServer as createTls, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Server } from 'socket.io'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { FaultProxy } from '../../../simulator/network/fault-proxy.ts'
import { ScriptedService } from '../../../simulator/service/scripted-service.ts'
import type { BridgeError } from '../../../src/common/errors.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { Relay } from '../../../src/core/room/relay.ts'
import type { ConnectionSink } from '../../../src/core/translation/translator.ts'
import { ServiceTranslator, type ServiceTranslatorOptions } from '../../../src/service/client/translator.ts'
import { PATIENCE_MS } from '../../support/faults/service-fault-harness.ts'
import { hello } from '../../support/relay/hello.ts'
import { EXPIRED, OTHER_HOST, SELF_SIGNED, TEST_KEY } from '../../support/service/certificates.ts'
import { until } from '../../support/until.ts'

/** Deadlines that the test lets pass. */
const SHORT = { connectMs: 500, startMs: 500 }
const REQUEST = { from: 'en-us', to: 'es-es', want: 'speech' } as const

let service: ScriptedService
const closing: (() => Promise<void>)[] = []
beforeEach(async () => {
  service = await ScriptedService.listen()
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  await service.close()
})

/** Opens one connection; returns its result. */
async function attempt(
  url: string,
  more: Partial<ServiceTranslatorOptions> = {},
): Promise<'ready' | BridgeError> {
  const translator = new ServiceTranslator({
    url,
    apiKey: service.apiKey,
    // A busy machine is not a silent service: tests of something else wait for longer.
    deadlines: { connectMs: 10_000, startMs: 10_000 },
    ...more,
  })
  closing.push(() => translator.close())
  let ready = false
  let reason: EndReason | undefined
  const sink: ConnectionSink = {
    ready: () => {
      ready = true
    },
    acked() {},
    result() {},
    endOfSpeech() {},
    fault() {},
    ended: end => {
      reason = end
    },
  }
  translator.open(REQUEST, sink)
  await until(() => ready || reason, PATIENCE_MS, 'an outcome')
  if (ready) return 'ready'
  if (reason?.kind !== 'failed') throw new Error(`ended: ${reason?.kind}`)
  return reason.error
}

/** A server that only adds TLS, with this certificate, in front of the scripted service. */
async function behindTls(
  cert: string,
  more: { maxVersion?: 'TLSv1.1'; minVersion?: 'TLSv1'; ciphers?: string } = {},
) {
  const server = createTls({ key: TEST_KEY, cert, ...more }, secure => {
    const inner = connect(Number(new URL(service.url).port), '127.0.0.1')
    secure.on('error', () => inner.destroy())
    inner.on('error', () => secure.destroy())
    secure.pipe(inner).pipe(secure)
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>(settle => server.listen(0, '127.0.0.1', settle))
  closing.push(async () => void server.close())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server that answers every upgrade this way. */
async function answering(head: string) {
  const asked: string[] = []
  const note = (request: IncomingMessage) => void asked.push(request.url ?? '')
  const server = createHttp((request, response) => {
    note(request)
    response.writeHead(404).end()
  })
  server.on('upgrade', (request, socket) => {
    note(request)
    socket.on('error', () => {})
    socket.end(`HTTP/1.1 ${head}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
  })
  await new Promise<void>(settle => server.listen(0, '127.0.0.1', settle))
  closing.push(async () => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

describe('a service that cannot be reached', () => {
  test('connection refused: reported at once, and retried', async () => {
    const { url } = service
    await service.stop()
    expect(await attempt(url)).toMatchObject({ code: 'SERVICE_UNREACHABLE', retryable: true })
  })

  test('an unknown name, and an address that changes', async () => {
    expect(await attempt('http://nobody.invalid:9', { deadlines: { connectMs: 5_000 } })).toMatchObject({
      retryable: true,
    })
    const away = await answering('503 Service Unavailable')
    let { url } = away
    const translator = new ServiceTranslator({ url: () => url, apiKey: service.apiKey })
    closing.push(() => translator.close())
    const relay = new Relay({ translator, options: relayOptions() })
    closing.push(() => relay.close())
    await relay.ready()
    const anna = new FakeLeg('anna')
    relay.admit(anna, { room: 'r', speaks: 'en-us', hears: 'es-es' })
    hello(anna)
    await until(() => away.asked.length > 0, PATIENCE_MS, 'an attempt at the old address')
    url = service.url
    await until(() => service.session?.connected, PATIENCE_MS, 'a session at the new address')
  })

  test('connections are accepted and never answered: times out', async () => {
    const proxy = await FaultProxy.listen({ to: service.url })
    closing.push(() => proxy.close())
    proxy.accepting = 'hang'
    expect(await attempt(proxy.url, { deadlines: SHORT })).toMatchObject({
      code: 'SERVICE_SILENT',
      retryable: true,
    })
  })

  test('a certificate that is self-signed, for another host, or expired: no connection, and never one without TLS', async () => {
    const before = getCACertificates('default')
    expect(await attempt(await behindTls(SELF_SIGNED))).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      message: expect.stringContaining('SELF_SIGNED'),
    })
    setDefaultCACertificates([...before, SELF_SIGNED, EXPIRED, OTHER_HOST])
    try {
      for (const [certificate, why] of [
        [EXPIRED, 'CERT_HAS_EXPIRED'],
        [OTHER_HOST, 'ERR_TLS_CERT_ALTNAME_INVALID'],
      ] as const)
        expect(await attempt(await behindTls(certificate))).toMatchObject({
          code: 'SERVICE_UNREACHABLE',
          message: expect.stringContaining(why),
        })
      expect(service.sessions).toHaveLength(0)
      // The check can fail: a correct one is accepted.
      expect(await attempt(await behindTls(SELF_SIGNED))).toBe('ready')
      const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const
      expect(await attempt(await behindTls(SELF_SIGNED, old))).toMatchObject({ code: 'SERVICE_UNREACHABLE' })
    } finally {
      setDefaultCACertificates(before)
    }
  })

  test.each([
    '301 Moved Permanently\r\nLocation: LOCATION',
    '307 Temporary Redirect\r\nLocation: LOCATION',
    '404 Not Found',
    '502 Bad Gateway',
    '503 Service Unavailable\r\nRetry-After: 7',
    // The response of an Engine.IO 3 server.
    '400 Bad Request',
  ])('the handshake is answered with %s: retried, and no redirect is followed', async head => {
    const { url, asked } = await answering(head.replace('LOCATION', `${service.url}/sts`))
    expect(await attempt(url)).toMatchObject({
      // A proxy answers 5xx for a service that is away; anything else comes from no service.
      code: head.startsWith('5') ? 'SERVICE_UNREACHABLE' : 'SERVICE_PROTOCOL',
      retryable: true,
      message: expect.stringContaining(`HTTP ${head.slice(0, 3)}`),
    })
    expect(asked).toHaveLength(1)
    expect(service.sessions).toHaveLength(0)
  })

  test('does not poll a server that only supports polling', async () => {
    const asked: string[] = []
    const http = createHttp((_request, response) => void response.writeHead(404).end())
    const io = new Server(http, { transports: ['polling'] })
    http.prependListener('request', request => void asked.push(request.url ?? ''))
    await new Promise<void>(settle => http.listen(0, '127.0.0.1', settle))
    closing.push(() => io.close())
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    expect(await attempt(url)).toMatchObject({ code: 'SERVICE_PROTOCOL' })
    expect(asked.filter(each => each.includes('polling'))).toEqual([])
  })

  test('abandons a server of another protocol', async () => {
    const server = createTcp(socket => {
      socket.on('error', () => {})
      socket.write('220 mail.example.com ESMTP\r\n')
    })
    await new Promise<void>(settle => server.listen(0, '127.0.0.1', settle))
    closing.push(async () => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await attempt(url)).toMatchObject({ retryable: true })
  })
})

describe('a service with an irregular start', () => {
  test('accepts a missing connected', async () => {
    service.faults.noConnected = true
    expect(await attempt(service.url)).toBe('ready')
  })

  test('times out without start', async () => {
    service.faults.noStart = true
    const given = await attempt(service.url, { deadlines: { ...SHORT, connectMs: 10_000 } })
    expect(given).toMatchObject({ code: 'SERVICE_SILENT', retryable: true })
  })

  test.each([undefined, null, false, 0, '', {}, [], { url: 7 }])(
    'start carries %j: it is start all the same',
    async payload => {
      service.faults.startWith = payload
      expect(await attempt(service.url)).toBe('ready')
    },
  )

  test('does not fetch an unrequested address in start', async () => {
    const { url, asked } = await answering('200 OK')
    service.faults.startWith = `${url}/secrets.mp3`
    expect(await attempt(service.url)).toBe('ready')
    // The first request that arrives is ours.
    await fetch(`${url}/ours`)
    expect(asked).toEqual(['/ours'])
  })
})
