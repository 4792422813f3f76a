import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../src/simulator/fakes/fake-clock.ts'
import { NodeStreams } from '../../../src/web/dashboard/node-streams.ts'
import type { NodeMessage, NodeView } from '../../../src/web/dashboard/protocol.ts'
import type { EventSink } from '../../../src/web/event-stream.ts'
import { FleetHub } from '../../support/fleet/fleet-hub.ts'
import { until } from '../../support/until.ts'

const KEY = 'Bearer a-key-of-the-desk-0123456789'

/** Another node, as far as its dashboard is concerned. It accepts one key. */
class FakeNode implements AsyncDisposable {
  readonly requests: IncomingMessage[] = []
  readonly open: ServerResponse[] = []
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, reply) => {
      this.requests.push(request)
      if (request.url !== '/dashboard/events' || request.headers.authorization !== KEY) {
        reply.writeHead(401).end()
        return
      }
      reply.writeHead(200, { 'content-type': 'text/event-stream' })
      this.open.push(reply)
      reply.write('event: snapshot\ndata: {"rooms":[]}\n\n')
    })
  }

  static async listen(): Promise<FakeNode> {
    const node = new FakeNode()
    node.#server.listen(0, '127.0.0.1')
    await once(node.#server, 'listening')
    return node
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

class Outlet implements EventSink {
  text = ''
  unread = 0
  destroyed = false

  write(text: string): void {
    this.text += text
  }

  end(): void {}

  destroy(): void {
    this.destroyed = true
  }

  #of<T>(type: string): T[] {
    const events = this.text.split('\n\n').filter(each => each.startsWith(`event: ${type}\n`))
    return events.map(each => JSON.parse(each.slice(each.indexOf('data: ') + 6)) as T)
  }

  get nodes(): NodeView[] {
    return this.#of<NodeView[]>('nodes').at(-1) ?? []
  }

  get messages(): NodeMessage[] {
    return this.#of<NodeMessage>('node')
  }

  get types(): string[] {
    return this.messages.map(({ type }) => type)
  }
}

async function fleetOfTwo(authorization = KEY) {
  const other = await FakeNode.listen()
  const hub = new FleetHub()
  const clock = new FakeClock()
  const [a, b] = [hub.join('a'), hub.join('b')]
  a.join(() => ({ address: 'http://127.0.0.1:1', legs: 3, rooms: 2, draining: false }))
  b.join(() => ({ address: other.address, legs: 5, rooms: 4, draining: true }))
  const outlet = new Outlet()
  const streams = NodeStreams.start({ fleet: a, clock }, { outlet, authorization, address: '192.0.2.1' })
  return { other, hub, clock, a, b, outlet, streams }
}

test('describes all nodes, and passes on what the others show, with the key of the viewer', async () => {
  const { other, outlet, clock, streams } = await fleetOfTwo()
  await using _other = other
  using _streams = streams
  expect(outlet.nodes).toMatchObject([
    { node: 'a', self: true, legs: 3, rooms: 2, state: 'up', shown: true },
    { node: 'b', self: false, legs: 5, rooms: 4, state: 'draining', shown: false },
  ])
  await until(() => outlet.types.length === 1, 5_000, 'the snapshot')
  other.open[0]!.write('event: levels\ndata: [1,50]\n\nevent: del')
  other.open[0]!.write('ta\ndata: {"at":7}\n\nevent: other\ndata: {}\n\n: \n\n')
  await until(() => outlet.types.length === 3, 5_000, 'the changes')
  expect(outlet.messages).toEqual([
    { node: 'b', type: 'snapshot', data: { rooms: [] } },
    { node: 'b', type: 'levels', data: [1, 50] },
    { node: 'b', type: 'delta', data: { at: 7 } },
  ])
  clock.advance(1_000)
  expect(outlet.nodes[1]).toMatchObject({ node: 'b', shown: true })
  expect(other.requests).toHaveLength(1)
  expect(other.requests[0]!.headers).toMatchObject({
    'x-dragoman-forwarded': 'a',
    'x-forwarded-for': '192.0.2.1',
  })
})

test('requests a stream again that has ended or become silent, and says that it is gone', async () => {
  const { other, outlet, clock, streams } = await fleetOfTwo()
  await using _other = other
  using _streams = streams
  await until(() => outlet.types.length === 1, 5_000, 'the snapshot')
  other.open[0]!.end()
  await until(
    () => {
      clock.advance(1_000)
      return other.requests.length === 2
    },
    5_000,
    'another request',
  )
  await until(() => outlet.types.length === 3, 5_000, 'another snapshot')
  expect(outlet.types).toEqual(['snapshot', 'gone', 'snapshot'])
  clock.advance(7_000)
  expect(outlet.types.at(-1)).toBe('gone')
  await until(() => other.requests.length === 3, 5_000, 'a third request')
})

test('shows that a node rejects the key', async () => {
  const { other, outlet, clock, streams } = await fleetOfTwo('Bearer another-key-0123456789')
  await using _other = other
  using _streams = streams
  await until(() => other.requests.length === 1, 5_000, 'the request')
  clock.advance(1_000)
  expect(outlet.nodes[1]).toMatchObject({ node: 'b', shown: false })
  expect(outlet.messages).toEqual([])
})

test('skips levels for a slow viewer, and disconnects one that does not read', async () => {
  const { other, outlet, streams } = await fleetOfTwo()
  await using _other = other
  using _streams = streams
  await until(() => outlet.types.length === 1, 5_000, 'the snapshot')
  outlet.unread = 100_000
  other.open[0]!.write('event: levels\ndata: [1,50]\n\nevent: delta\ndata: {"at":7}\n\n')
  await until(() => outlet.types.length === 2, 5_000, 'the change')
  expect(outlet.types).toEqual(['snapshot', 'delta'])
  outlet.unread = 2_000_000
  other.open[0]!.write('event: delta\ndata: {"at":8}\n\n')
  await until(() => outlet.destroyed, 5_000, 'the end')
})

test('sends no more requests once the viewer is gone', async () => {
  const { other, outlet, clock, streams } = await fleetOfTwo()
  await using _other = other
  await until(() => other.open.length === 1, 5_000, 'the request')
  const closed = once(other.open[0]!, 'close')
  streams[Symbol.dispose]()
  await closed
  clock.advance(10_000)
  expect(other.requests).toHaveLength(1)
  expect(outlet.types).not.toContain('gone')
})
