import { createRequire } from 'node:module'
import websocket from '@fastify/websocket'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { socketRoutes } from '../../../src/bridges/websocket/socket-routes.ts'

/** Another copy of `@fastify/websocket`, the oldest for Fastify 5: npm nests one if versions differ. */
const otherCopy = createRequire(import.meta.url)('fastify-websocket-floor') as typeof websocket
/** The limit of a bridge that registers the plugin for itself. */
const MAX = 65_536

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** The socket part of a bridge's plugin: an echo at `/ours`, with a check. */
async function bridge(app: FastifyInstance, { url = '/ours', refuse = false } = {}): Promise<void> {
  await app.register(async scope => {
    await socketRoutes(scope, [
      {
        url,
        // Includes one turn of the event loop, as any check can.
        onRequest: async (_request, reply) => {
          await new Promise(resolve => setImmediate(resolve))
          return refuse ? reply.code(403).send() : undefined
        },
        accept: socket => socket.on('message', data => socket.send(`ours ${String(data).length}`)),
      },
    ])
  })
}

/** The host's own socket, with a higher limit than the bridge's. */
async function own(app: FastifyInstance, plugin = websocket): Promise<void> {
  await app.register(plugin, { options: { maxPayload: 100_000 } })
  await app.register(async scope => {
    scope.get('/theirs', { websocket: true }, socket => {
      socket.on('message', data => socket.send(`theirs ${String(data).length}`))
    })
  })
}

type Step = (app: FastifyInstance) => Promise<void>
const ownOfOtherCopy: Step = app => own(app, otherCopy)
const secondBridge: Step = app => bridge(app, { url: '/more' })
const refusing: Step = app => bridge(app, { refuse: true })

async function started(steps: readonly Step[]): Promise<{ app: FastifyInstance; url: string }> {
  const app = Fastify()
  open.push(app)
  app.get('/plain', async () => 'plain')
  for (const step of steps) await step(app)
  return { app, url: (await app.listen({ port: 0, host: '127.0.0.1' })).replace('http', 'ws') }
}

/** The outcome of sending `bytes`: the response, the status that rejected the upgrade, or the close code. */
function outcome(url: string, bytes = 3): Promise<string | number> {
  return new Promise(resolve => {
    const socket = new WebSocket(url)
    socket.on('open', () => socket.send('x'.repeat(bytes)))
    socket.on('message', data => {
      resolve(String(data))
      socket.terminate()
    })
    socket.on('unexpected-response', (request, response) => {
      resolve(response.statusCode ?? 0)
      request.destroy()
    })
    socket.on('close', resolve)
    socket.on('error', () => {})
  })
}

describe("a bridge's sockets in a host app", () => {
  it.each<[string, string | number, readonly Step[]]>([
    // By the host's registration.
    ['before it', `ours ${MAX + 1}`, [own, bridge]],
    ['before it, in another copy', `ours ${MAX + 1}`, [ownOfOtherCopy, bridge]],
    ['after it', 1009, [bridge, own]],
    ['after it, in another copy', 1009, [bridge, ownOfOtherCopy]],
    [
      'in a scope next to it',
      1009,
      [async app => void (await app.register(async scope => own(scope))), bridge],
    ],
    ['after it, next to a second bridge', 1009, [bridge, secondBridge, own]],
  ])('work with @fastify/websocket registered %s', async (_when, long, steps) => {
    const { url } = await started(steps)
    expect(await outcome(`${url}/ours`)).toBe('ours 3')
    expect(await outcome(`${url}/ours`, MAX + 1)).toBe(long)
    expect(await outcome(`${url}/theirs`)).toBe('theirs 3')
    expect(await outcome(`${url}/theirs`, 50_000)).toBe('theirs 50000')
    expect(await outcome(`${url}/theirs`, 100_001)).toBe(1009)
  })

  it('say so if the limit of the host is too small', async () => {
    const small: Step = async app => void (await app.register(websocket, { options: { maxPayload: 4_096 } }))
    await expect(started([small, bridge])).rejects.toMatchObject({
      code: 'CONFIG',
      message: 'options.maxPayload of @fastify/websocket must be at least 65536 for this bridge, got 4096',
    })
  })

  it.each<[string, readonly Step[]]>([
    ['alone', [refusing]],
    ['with the plugin before it', [own, refusing]],
    ['with the plugin after it', [refusing, own]],
    ['with another copy after it', [refusing, ownOfOtherCopy]],
  ])('are rejected by their hooks, and the connection ends: %s', async (_when, steps) => {
    const { app, url } = await started(steps)
    expect(await outcome(`${url}/ours`)).toBe(403)
    await expect.poll(() => connections(app)).toBe(0)
  })

  it('work without it, two bridges in one app, and answer unhandled upgrades', async () => {
    const { app, url } = await started([bridge, secondBridge])
    expect(await outcome(`${url}/ours`)).toBe('ours 3')
    expect(await outcome(`${url}/more?a=1`)).toBe('ours 3')
    expect(await outcome(`${url}/nowhere`)).toBe(404)
    expect(await outcome(`${url}/plain`)).toBe(404)
    await expect.poll(() => connections(app)).toBe(0)
    // The host has no sockets.
    expect(app.hasDecorator('websocketServer')).toBe(false)
    expect((await app.inject('/ours')).statusCode).toBe(404)
  })

  it('ignore upgrades that another listener of the host handles', async () => {
    const theirs = new WebSocketServer({ noServer: true })
    const { url } = await started([
      bridge,
      async app => {
        app.server.on('upgrade', (request, socket, head) => {
          if (request.url !== '/by-hand') return
          // Not in the same tick, as after a session look-up.
          setImmediate(() => theirs.handleUpgrade(request, socket, head, each => each.send('by hand')))
        })
      },
    ])
    expect(await outcome(`${url}/by-hand`)).toBe('by hand')
    expect(await outcome(`${url}/ours`)).toBe('ours 3')
  })

  it('end with 1011 when accepting fails, and the server continues', async () => {
    const { url } = await started([
      async app => {
        await app.register(async scope => {
          const accept = () => {
            throw new Error('no room')
          }
          await socketRoutes(scope, [{ url: '/ours', onRequest: async () => undefined, accept }])
        })
      },
    ])
    expect(await outcome(`${url}/ours`)).toBe(1011)
    expect(await outcome(`${url}/ours`)).toBe(1011)
  })
})

function connections(app: FastifyInstance): Promise<number> {
  return new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}
