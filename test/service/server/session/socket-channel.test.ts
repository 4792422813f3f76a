import { EventEmitter } from 'node:events'
import type { Socket } from 'socket.io'
import { expect, test } from 'vitest'
import { SocketChannel } from '../../../../src/service/server/session/socket-channel.ts'

class FakeConnection extends EventEmitter {
  closed = false

  close(): void {
    this.closed = true
  }
}

/** The part of a server's socket that a channel uses; `leave` is the client going away. */
class FakeSocket {
  readonly conn: FakeConnection
  readonly events = new EventEmitter()
  readonly sent: string[] = []
  readonly disconnected: boolean[] = []
  connected = true
  readonly once = this.events.once.bind(this.events)

  constructor(conn = new FakeConnection()) {
    this.conn = conn
  }

  emit(event: string): void {
    this.sent.push(event)
  }

  disconnect(close: boolean): void {
    this.disconnected.push(close)
  }

  leave(): void {
    this.connected = false
    this.events.emit('disconnect')
  }
}

function channelOf(socket: FakeSocket): SocketChannel {
  const channel = new SocketChannel(socket as unknown as Socket)
  channel.start()
  return channel
}

const settled = (promise: Promise<void>) =>
  Promise.race([promise.then(() => true), new Promise(resolve => setImmediate(resolve, false))])

test('what was handed over counts as unread until the connection has sent all of it', async () => {
  const socket = new FakeSocket()
  const channel = channelOf(socket)
  expect(await settled(channel.drained())).toBe(true)
  channel.emit('result', { file: { data: new Uint8Array(10_000) } })
  expect(channel.unreadBytes).toBeGreaterThanOrEqual(10_000)
  const drained = channel.drained()
  expect(await settled(drained)).toBe(false)
  socket.conn.emit('drain')
  await drained
  expect(channel.unreadBytes).toBe(0)
})

test('waiting for a client to read ends when the client disconnects', async () => {
  const socket = new FakeSocket()
  const channel = channelOf(socket)
  channel.emit('result', {})
  const drained = channel.drained()
  socket.leave()
  await drained
  channel.emit('result', {})
  expect(await settled(channel.drained())).toBe(true)
  expect(socket.conn.listenerCount('drain')).toBe(0)
})

test('the last session of a connection closes it, the others leave it open', () => {
  const conn = new FakeConnection()
  const [first, second] = [new FakeSocket(conn), new FakeSocket(conn)]
  const [one, two] = [channelOf(first), channelOf(second)]
  one.end()
  expect(first.disconnected).toEqual([false])
  first.leave()
  two.end()
  expect(second.disconnected).toEqual([true])
})

test('a connection ends with its last session', () => {
  const conn = new FakeConnection()
  const sockets = [new FakeSocket(conn), new FakeSocket(conn)]
  for (const socket of sockets) channelOf(socket)
  sockets[0]!.leave()
  expect(conn.closed).toBe(false)
  sockets[1]!.leave()
  expect(conn.closed).toBe(true)
})
