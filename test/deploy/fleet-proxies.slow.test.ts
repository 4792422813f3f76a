import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { trust } from '../../simulator/discord/voice/certificate.ts'
import type { SimulatedCall } from '../../simulator/index.ts'
import { randomFrom } from '../../simulator/random.ts'
import { good, HOST } from '../support/cli/doctor-harness.ts'
import { hears } from '../support/e2e/phone-listener.ts'
import { FleetNodes, heardBy } from '../support/fleet/fleet-nodes.ts'
import { NATS_SERVER, NatsServers } from '../support/fleet/nats-servers.ts'
import { programOf, RealProxy } from './proxy.ts'
import { Router } from './router.ts'

const ROUTER = new URL('../../deploy/nginx/fleet-router.conf', import.meta.url)

let known: Disposable
beforeAll(() => {
  known = trust(good.certificate)
})
afterAll(() => known[Symbol.dispose]())

/** A phone calls `room` through the proxy. */
function call(fleet: FleetNodes, proxy: RealProxy, room: string, language: 'en-us' | 'es-es') {
  const query = new URLSearchParams({ room, speaks: language, hears: language })
  return fleet.call(room, language, {
    webhook: `https://${HOST}/twilio/voice?${query}`,
    publicUrl: `https://${HOST}`,
    resolve: { [HOST]: proxy.address },
    proxied: false,
  })
}

async function talks([first, second]: readonly [SimulatedCall, SimulatedCall]): Promise<void> {
  await heardBy(first, 400, second, 'es-es', hears)
  await heardBy(second, 700, first, 'en-us', hears)
}

function statusOf({ address }: RealProxy, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port, path, servername: HOST, ca: good.certificate, agent: false }
    request({ ...options, headers: { host: HOST } }, answer => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

/** A proxy in front of these nodes, as in deploy/. */
type Front = (fleet: FleetNodes) => Promise<{ proxy: RealProxy } & AsyncDisposable>

/** Only nginx. */
async function nginx({ nodes }: FleetNodes) {
  const [a = 0, b = 0, c = 0] = nodes.map(({ port }) => port)
  const proxy = await RealProxy.start('nginx', { host: HOST, certificate: good, upstream: [a, b, c] })
  return { proxy, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() }
}

/** Caddy for TLS in front of the router. */
async function caddyAndRouter({ nodes }: FleetNodes) {
  await using stack = new AsyncDisposableStack()
  const ports = Object.fromEntries(nodes.map(({ name, port }) => [name, port]))
  const router = stack.use(await Router.start(await readFile(ROUTER, 'utf8'), ports))
  const proxy = stack.use(
    await RealProxy.start('caddy', { host: HOST, certificate: good, upstream: router.port }),
  )
  const owned = stack.move()
  return { proxy, [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose]() }
}

const FRONTS: readonly (readonly [name: string, front: Front, programs: readonly string[]])[] = [
  ['nginx', nginx, ['nginx']],
  ['Caddy and the router', caddyAndRouter, ['nginx', 'caddy']],
]

describe.each(FRONTS)('a fleet behind %s, as in deploy/', (_name, front, programs) => {
  test.skipIf(programs.some(each => programOf(each) === undefined) || NATS_SERVER === undefined)(
    'connects callers at all nodes, and continues their calls when nodes end',
    async () => {
      await using nats = await NatsServers.start()
      await using fleet = await FleetNodes.start({
        ...{ nats, random: randomFrom(1) },
        settings: { publicUrl: `https://${HOST}` },
      })
      await using started = await front(fleet)
      const { proxy } = started
      const rooms = await Promise.all(
        Array.from({ length: 4 }, (_, at) =>
          Promise.all([
            call(fleet, proxy, `desk ${at}`, 'en-us'),
            call(fleet, proxy, `desk ${at}`, 'es-es'),
          ] as const),
        ),
      )
      await Promise.all(rooms.map(talks))

      // Without notice, then with.
      await fleet.node('a').signal('SIGKILL')
      await Promise.all(rooms.map(talks))
      await fleet.node('b').signal('SIGTERM')
      await Promise.all(rooms.map(talks))
      const calls = rooms.flat()
      // Streams broke, and no request did.
      const errors = calls.flatMap(each => each.report().errors)
      expect(errors.filter(({ code }) => code !== 31_903 && code !== 31_921)).toEqual([])
      expect(Math.max(...calls.map(each => each.report().streams.length))).toBeGreaterThan(1)
      // The paths of nodes that have ended lead to the last one, without exposing more than the root does.
      expect([await statusOf(proxy, '/n/a/'), await statusOf(proxy, '/n/c/')]).toEqual([200, 200])
      for (const path of ['/live', '/ready', '/health', '/metrics', '/n/a/metrics', '/n/c/health'])
        expect(await statusOf(proxy, path), path).toBe(404)
    },
  )
})
