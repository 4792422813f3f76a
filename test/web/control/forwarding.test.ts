import { createServer, type IncomingMessage } from 'node:http'
import Fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { noopLogger } from '../../../src/common/log.ts'
import type { Fleet, FleetNode } from '../../../src/core/model/fleet.ts'
import { Forwarding } from '../../../src/web/control/forwarding.ts'
import { exchanged } from '../../support/security/raw.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** A server that records the targets of requests. */
async function recorder(): Promise<{ port: number; targets: string[] }> {
  const targets: string[] = []
  const http = createServer(({ url }: IncomingMessage, response) => {
    targets.push(url ?? '')
    response.end('"from there"')
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  open.push(() => http.close().closeAllConnections())
  return { port: (http.address() as { port: number }).port, targets }
}

/** A host app that accepts any target and forwards every request of its route to the node at `address`. */
async function forwards(address: string): Promise<number> {
  const node = { node: 'b', address } as FleetNode
  const forwarding = new Forwarding({
    fleet: { node: 'a', status: 'up', nodes: [node] } as unknown as Fleet,
    nodeOf: () => 'b',
    owners: {},
    log: noopLogger,
  })
  const app = Fastify({ rewriteUrl: ({ url = '/' }) => url.replace(/^\/n\/a(?=\/)/, '') })
  app.get('/v1/rooms/:room/captions', async (request, reply) => {
    await forwarding.forward((await forwarding.target(request))!, request, reply)
    return reply
  })
  open.push(() => app.close())
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}

const ROUTE = '/v1/rooms/desk/captions'

test('sends a request to the address of the node, whatever its target names', async () => {
  const [node, internal] = [await recorder(), await recorder()]
  const port = await forwards(`http://127.0.0.1:${node.port}`)
  const targets = [
    `${ROUTE}?token=x`,
    `http://127.0.0.1:${internal.port}${ROUTE}?token=x`,
    `/n/a${ROUTE}?token=x`,
    `/n/a//127.0.0.1:${internal.port}${ROUTE}`,
  ]
  for (const target of targets)
    await exchanged(port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  expect(internal.targets).toEqual([])
  expect(node.targets).toEqual(Array(3).fill(`${ROUTE}?token=x`))
})

test('keeps names and queries as they were', async () => {
  const node = await recorder()
  const port = await forwards(`http://127.0.0.1:${node.port}`)
  const ask = (target: string) =>
    exchanged(port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  await ask('/v1/rooms/a%2F..%3Fb%20%C3%B6/captions?to=es-es&a=1&a=2%262')
  await ask('/v1/rooms/../captions')
  await ask('/v1/rooms/%2e%2e/captions')
  expect(node.targets).toEqual([
    '/v1/rooms/a%2F..%3Fb%20%C3%B6/captions?to=es-es&a=1&a=2%262',
    '/v1/rooms/../captions',
    '/v1/rooms/../captions',
  ])
})
