import { createServer, type Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import Fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { FakeLeg } from '../../simulator/fakes/fake-leg.ts'
import { ScriptedService } from '../../simulator/service/scripted-service.ts'
import twilioBridge from '../../src/bridges/phone/twilio/index.ts'
import type { ServiceStatusChange } from '../../src/core/model/events.ts'
import { relayOptions } from '../../src/core/model/relay-settings.ts'
import { Relay } from '../../src/core/room/relay.ts'
import { ServiceTranslator } from '../../src/service/client/translator.ts'
import { until } from '../support/until.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Listens on loopback; returns the address. */
async function listening(server: Server | HttpServer): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A web server that is no translation service. */
const answering = (status: number, body = '<!doctype html><title>It works</title>') => {
  const server = createServer((_, reply) =>
    reply.writeHead(status, { 'content-type': 'text/html' }).end(body),
  )
  server.on('upgrade', (_, socket) =>
    socket
      .on('error', () => {})
      .end(`HTTP/1.1 ${status} Some\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`),
  )
  return listening(server)
}

async function scripted(refuseKey: ScriptedService['faults']['refuseKey']): Promise<string> {
  const service = await ScriptedService.listen()
  closing.push(() => service.close())
  service.faults.refuseKey = refuseKey
  return service.url
}

const body = (code: string, error: string) => ({ code, error, description: 'no' })

/** A program that embeds a bridge as the README does, with a log that it did not pass to the relay. */
async function embedded(url: string, apiKey = 'a-secret-key') {
  const lines: Record<string, unknown>[] = []
  const clock = new FakeClock()
  const relay = new Relay({
    translator: new ServiceTranslator({ url, apiKey, clock }),
    options: relayOptions(),
    clock,
  })
  const app = Fastify({ logger: { stream: { write: (line: string) => void lines.push(JSON.parse(line)) } } })
  closing.push(() => relay.close())
  closing.push(async () => app.close())
  await app.register(twilioBridge, { relay, insecure: true, invite: () => ({ room: 'desk' }) })
  const events: ServiceStatusChange[] = []
  relay.observer.on('service', event => events.push(event))
  /** Lets time pass until `done`; sockets take real time. */
  const pass = (done: () => boolean, most: number, step = 20) => {
    const end = clock.now() + most
    return until(
      () => {
        if (clock.now() < end) clock.advance(step)
        return done()
      },
      5_000,
      'what is expected',
    )
  }
  const about = (text: string) => lines.filter(({ msg }) => String(msg).startsWith(text))
  return { relay, events, lines, about, pass }
}

const KEY = 'SERVICE_KEY_REFUSED'
test.each([
  ['a wrong key', KEY, () => scripted(undefined)],
  ['a missing key', KEY, () => scripted(body('unauthorized', 'key_missing'))],
  ['a used-up quota', KEY, () => scripted(body('limit', 'minutes_used_up'))],
  ['another spelling', KEY, () => scripted(body('invalid_api_key', ''))],
  ['a gateway that refuses the key', KEY, () => answering(401)],
  ['a web page instead of a service', 'SERVICE_PROTOCOL', () => answering(200)],
  ['nothing at this path', 'SERVICE_PROTOCOL', () => answering(404)],
  ['a proxy without its service', 'SERVICE_UNREACHABLE', () => answering(503)],
  ['a closed port', 'SERVICE_UNREACHABLE', async () => 'http://127.0.0.1:9'],
  [
    'a host that does not answer',
    'SERVICE_SILENT',
    () => listening(createTcpServer(socket => void socket.on('error', () => {}))),
  ],
])(
  'the log of the application has one line about %s, within two seconds of the first call',
  async (_, code, open) => {
    const { relay, events, lines, about, pass } = await embedded(await open())
    for (const id of ['anna', 'bert', 'carla'])
      relay.admit(new FakeLeg(id), { room: id, speaks: 'en-us', hears: 'es-es' })
    await pass(() => events.length > 0, 2_000)
    expect(events).toMatchObject([{ upstream: 0, status: 'open', problem: { code } }])
    await pass(() => relay.receptions.unavailable === 3, 200)
    expect(relay.serviceProblems).toMatchObject([{ code }])
    await pass(() => relay.metrics.probes > 1, 60_000, 500)
    expect(about('translation service')).toMatchObject([
      {
        level: 50,
        service: 0,
        address: expect.stringMatching(/^http:\/\/127/),
        code,
        reason: expect.stringMatching(/.../),
      },
    ])
    expect(lines.filter(({ level }) => Number(level) > 30)).toHaveLength(2)
    expect(JSON.stringify(lines)).not.toContain('a-secret-key')
  },
)

test('the recovery has a line too, and a relay with its own log keeps it', async () => {
  const service = await ScriptedService.listen()
  closing.push(() => service.close())
  service.faults.refuseKey = true
  const { relay, events, about, pass } = await embedded(service.url, service.apiKey)
  relay.admit(new FakeLeg('anna'), { room: 'desk', speaks: 'en-us', hears: 'es-es' })
  await pass(() => events.length > 0, 2_000)
  service.heal()
  await pass(() => events.length > 1, 60_000, 200)
  expect(events.at(-1)).toEqual({ upstream: 0, status: 'closed' })
  expect(about('translation service available again')).toMatchObject([
    { service: 0, afterMs: expect.any(Number) },
  ])
  await pass(() => relay.receptions.translated > 0, 1_000)
  expect(relay.serviceProblems).toEqual([undefined])
})
