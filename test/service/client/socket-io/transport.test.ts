import { createServer, type Server as HttpServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket as TcpSocket,
} from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import { Server as CurrentServer } from 'socket.io'
import { io, type Socket } from 'socket.io-client'
import { Server as OldestServer } from 'socket.io-floor'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { AckDecoder, EventEncoder } from '../../../../src/service/client/socket-io/packets.ts'
import { BinaryEventTransport } from '../../../../src/service/client/socket-io/transport.ts'
import { SelfSigned } from '../../../../src/simulator/discord/voice/certificate.ts'
import { framesOf } from '../../../support/service/websocket-frames.ts'
import { until } from '../../../support/until.ts'

const OURS = { transports: [BinaryEventTransport], parser: { Encoder: EventEncoder, Decoder: AckDecoder } }
const LIBRARY = { transports: ['websocket'], parser: undefined }
/** The limits of the one-byte, two-byte and eight-byte frame lengths, and of native masking. */
const SIZES = [0, 1, 23, 24, 47, 48, 124, 125, 126, 127, 1_920, 5_760, 65_535, 65_536, 200_000]
const PATIENCE_MS = 10_000

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

describe('on the wire', () => {
  test('sends the same messages in the same order as the library', async () => {
    expect((await recorded(OURS)).messages).toEqual((await recorded(LIBRARY)).messages)
  })

  test('masks each frame with its own key', async () => {
    const { frames } = await recorded(OURS)
    const keys = frames.map(({ key }) => key)
    expect(keys.length).toBeGreaterThan(SIZES.length * 3)
    expect(keys).not.toContain(undefined)
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('sends both frames of an event with one write', async () => {
    const { socket } = await recorded(OURS, [])
    const { transport } = socket.io.engine as unknown as { transport: { ws: { _socket: TcpSocket } } }
    const write = vi.spyOn(transport.ws._socket, 'write')
    socket.emit('write_stream', Buffer.alloc(1_920), () => {})
    await until(() => write.mock.calls.length > 0, PATIENCE_MS, 'the event')
    expect(write).toHaveBeenCalledTimes(1)
    expect(framesOf(write.mock.calls[0]?.[0] as Buffer).map(({ opcode }) => opcode)).toEqual([1, 2])
  })

  test('leaves the sent bytes unchanged', async () => {
    const { sent } = await recorded(OURS)
    for (const bytes of sent) expect(bytes.every(byte => byte === 0x5a)).toBe(true)
  })
})

const SERVERS = [
  ['current', CurrentServer],
  ['4.0.0', OldestServer],
] as const

describe.each(SERVERS)('an unmodified Socket.IO server, %s', (_name, Server) => {
  /** A server that acknowledges `write_stream` by length, answers `text`, and can stop reading. */
  async function serve(options: object = {}) {
    const http = await listening(createServer())
    const server = new Server(http, {
      transports: ['websocket'],
      pingInterval: 150,
      pingTimeout: 2_000,
      ...options,
    })
    open.push({ close: () => new Promise<void>(resolve => void server.close(() => resolve())) })
    let pongs = 0
    let received = 0
    let release = () => {}
    server.engine.on('connection', (each: NodeJS.EventEmitter) => {
      each.on('heartbeat', () => pongs++)
      each.on('packet', ({ type }: { type: string }) => void (type === 'pong' && pongs++))
    })
    server
      .of('/refused')
      .use((_socket, next) => next(Object.assign(new Error('no'), { data: { code: 'key' } })))
    server.of('/sts').on('connection', socket => {
      socket.on('write_stream', (data: Buffer, ack: (ok: boolean) => void) => {
        received++
        ack(data.length !== 7)
      })
      socket.on('many', (data: Buffer, ack: (...all: unknown[]) => void) => ack({ size: data.length }, data))
      socket.on('text', (text: string, ack: (text: string) => void) => {
        socket.emit('result', { id: 'grüße', file: { data: Buffer.alloc(5_000, 1) } })
        ack(text)
      })
      socket.on('leave', () => socket.disconnect())
      const { socket: websocket } = socket.conn.transport as unknown as { socket: { _socket: TcpSocket } }
      socket.on('hold', (_: unknown, ack: (ok: boolean) => void) => {
        websocket._socket.pause()
        release = () => void websocket._socket.resume()
        ack(true)
      })
      socket.emit('start', true)
    })
    return {
      url: `http://127.0.0.1:${portOf(http)}`,
      http,
      pongs: () => pongs,
      received: () => received,
      release: () => release(),
    }
  }

  test('acknowledges fragments, each with its own status', async () => {
    const socket = await started((await serve()).url)
    const statuses = [1, 7, 1_920, 70_000].map(size => acked(socket, 'write_stream', Buffer.alloc(size, 3)))
    expect(await Promise.all(statuses)).toEqual([[true], [false], [true], [true]])
  })

  test('acknowledges with values and binary data', async () => {
    const socket = await started((await serve()).url)
    expect(await acked(socket, 'many', Buffer.from([1, 2, 3]))).toEqual([{ size: 3 }, Buffer.from([1, 2, 3])])
    expect(await acked(socket, 'text', 'grüße')).toEqual(['grüße'])
  })

  test('sends binary results and text beyond ASCII', async () => {
    const socket = await started((await serve()).url)
    const result = new Promise<{ id: string; file: { data: Buffer } }>(resolve =>
      socket.once('result', resolve),
    )
    socket.emit('text', 'hello', () => {})
    const { id, file } = await result
    expect(id).toBe('grüße')
    expect(file.data).toEqual(Buffer.alloc(5_000, 1))
  })

  test('gets answers to its pings', async () => {
    const { url, pongs } = await serve()
    const socket = await started(url)
    await until(() => pongs() >= 3, PATIENCE_MS, 'three pongs')
    expect(socket.connected).toBe(true)
  })

  test('loses nothing while it does not read, and what waits can be seen', async () => {
    const { url, release } = await serve({ pingInterval: 25_000 })
    const socket = await started(url)
    await acked(socket, 'hold', 0)
    let count = 0
    for (let n = 0; n < 400; n++)
      socket.emit('write_stream', Buffer.alloc(60_000, 4), (ok: unknown) => void (ok === true && count++))
    const { transport } = socket.io.engine as unknown as { transport: { ws: WebSocket } }
    await until(() => transport.ws.bufferedAmount > 1_000_000, PATIENCE_MS, 'what waits')
    release()
    await until(() => count === 400, PATIENCE_MS, 'every acknowledgment')
  })

  test('ends the session with the library’s reasons', async () => {
    const { url, http } = await serve()
    const left = await started(url)
    const reason = new Promise(resolve => left.once('disconnect', resolve))
    left.emit('leave')
    expect(await reason).toBe('io server disconnect')
    const broken = await started(url)
    const lost = new Promise(resolve => broken.once('disconnect', resolve))
    http.closeAllConnections()
    for (const each of sockets(http)) each.destroy()
    expect(await lost).toBe('transport close')
  })

  test('refuses in its middleware, with the reason', async () => {
    const { url } = await serve()
    const socket = client(`${url}/refused`)
    const error = await new Promise<Error & { data?: unknown }>(resolve =>
      socket.once('connect_error', resolve),
    )
    expect(error.data).toEqual({ code: 'key' })
  })

  test('ends a session whose message is larger than it accepts', async () => {
    const socket = await started((await serve({ maxHttpBufferSize: 10_000 })).url)
    const reason = new Promise(resolve => socket.once('disconnect', resolve))
    socket.emit('write_stream', Buffer.alloc(20_000), () => {})
    expect(await reason).toMatch(/^transport (close|error)$/)
  })

  test('is not read while the WebSocket is paused', async () => {
    const { url, received } = await serve()
    const socket = await started(url)
    const { transport } = socket.io.engine as unknown as { transport: { ws: WebSocket } }
    transport.ws.pause()
    let arrived = false
    const status = acked(socket, 'write_stream', Buffer.alloc(10)).then(ack => {
      arrived = true
      return ack
    })
    await until(() => received() > 0, PATIENCE_MS, 'that the server answers')
    for (let n = 0; n < 10; n++) await turn()
    expect(arrived).toBe(false)
    transport.ws.resume()
    expect(await status).toEqual([true])
  })

  test('accepts the client again where reconnection is on', async () => {
    const socket = client(`${(await serve()).url}/sts`, { reconnection: true, reconnectionDelay: 20 })
    await new Promise(resolve => socket.once('connect', () => resolve(undefined)))
    const again = new Promise(resolve => socket.once('connect', () => resolve(undefined)))
    const { transport } = socket.io.engine as unknown as { transport: { ws: WebSocket } }
    transport.ws.terminate()
    await again
    expect(await acked(socket, 'write_stream', Buffer.alloc(1_920))).toEqual([true])
  })

  test('a connection cut between the two frames of an event ends the session only', async () => {
    const { http, url } = await serve()
    const proxy = await cuttingProxy(portOf(http), 1_000)
    const socket = await started(`http://127.0.0.1:${proxy}`)
    const reason = new Promise(resolve => socket.once('disconnect', resolve))
    socket.emit('write_stream', Buffer.alloc(5_760), () => {})
    expect(await reason).toBe('transport close')
    const other = await started(url)
    expect(await acked(other, 'write_stream', Buffer.alloc(1_920))).toEqual([true])
  })
})

test('TLS carries the same session', async () => {
  const signed = new SelfSigned()
  const https = createTlsServer({ key: signed.key, cert: signed.certificate })
  const server = new CurrentServer(https, { transports: ['websocket'] })
  open.push({ close: () => new Promise<void>(resolve => void server.close(() => resolve())) })
  server.of('/sts').on('connection', socket => {
    socket.on('write_stream', (data: Buffer, ack: (size: number) => void) => ack(data.length))
    socket.emit('start', true)
  })
  await new Promise<void>(resolve => https.listen(0, '127.0.0.1', resolve))
  const { port } = https.address() as AddressInfo
  const socket = await started(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  expect(await acked(socket, 'write_stream', Buffer.alloc(5_760))).toEqual([5_760])
  const { transport } = socket.io.engine as unknown as { transport: { ws: { _socket: unknown } } }
  expect(transport.ws._socket).toBeInstanceOf(TLSSocket)
})

test('`ws` still has what the transport uses beside its documentation', async () => {
  const http = await listening(createServer())
  const server = new WebSocketServer({ server: http })
  open.push(server)
  const websocket = new WebSocket(`ws://127.0.0.1:${portOf(http)}`)
  open.push({ close: () => websocket.terminate() })
  await new Promise(resolve => websocket.once('open', resolve))
  const { _socket, _sender } = websocket as unknown as { _socket: TcpSocket; _sender: { _state: unknown } }
  expect(_sender._state).toBe(0)
  const before = websocket.bufferedAmount
  _socket.cork()
  _socket.write(Buffer.alloc(10))
  expect(websocket.bufferedAmount).toBe(before + 10)
  _socket.uncork()
})

/** The messages that a bare WebSocket server receives from a client that sends a fragment of each size, with a text after each. */
async function recorded(options: object, sizes = SIZES) {
  const http = await listening(createServer())
  const server = new WebSocketServer({ server: http, maxPayload: 1e6 })
  open.push(server)
  const messages: string[] = []
  const chunks: Buffer[] = []
  server.on('connection', (websocket, request) => {
    // Copies: `ws` unmasks in place.
    request.socket.prependListener('data', (chunk: Buffer) => void chunks.push(Buffer.from(chunk)))
    websocket.send('0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}')
    websocket.on('message', (data: Buffer, isBinary) => {
      messages.push(isBinary ? data.toString('hex') : data.toString())
      if (!data.toString().startsWith('40/sts')) return
      websocket.send('40/sts,{"sid":"x"}')
      websocket.send('42/sts,["start",true]')
    })
  })
  const socket = await started(`http://127.0.0.1:${portOf(http)}`, options)
  const sent = sizes.map(size => Buffer.alloc(size, 0x5a))
  for (const bytes of sent) {
    socket.emit('write_stream', bytes, () => {})
    socket.emit('text', 'plain', () => {})
    await turn()
  }
  await until(() => messages.length === 1 + sizes.length * 3, PATIENCE_MS, 'every message')
  return { socket, messages, frames: framesOf(Buffer.concat(chunks)), sent }
}

function client(url: string, options: object = {}): Socket {
  // The option's type does not include false.
  const common: object = { upgrade: false, reconnection: false, forceNew: true, perMessageDeflate: false }
  const socket = io(url, { ...common, ...OURS, ...options })
  open.push(socket)
  return socket
}

/** A session that has received `start`. */
function started(url: string, options: object = {}): Promise<Socket> {
  const socket = client(`${url}/sts`, options)
  return new Promise((resolve, reject) => {
    socket.once('start', () => resolve(socket))
    socket.once('connect_error', reject)
  })
}

function acked(socket: Socket, event: string, item: unknown): Promise<unknown[]> {
  return new Promise(resolve => socket.emit(event, item, (...statuses: unknown[]) => resolve(statuses)))
}

const tcpSockets = new WeakMap<HttpServer, Set<TcpSocket>>()

async function listening(http: HttpServer): Promise<HttpServer> {
  const all = new Set<TcpSocket>()
  tcpSockets.set(http, all)
  http.on('connection', socket => all.add(socket))
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  open.push({
    close: () => {
      http.close()
      for (const socket of all) socket.destroy()
    },
  })
  return http
}

function sockets(http: HttpServer): Iterable<TcpSocket> {
  return tcpSockets.get(http) ?? []
}

function portOf(http: HttpServer): number {
  return (http.address() as AddressInfo).port
}

/** A TCP proxy that cuts the connection after `keep` bytes of the first large chunk. Returns its port. */
async function cuttingProxy(target: number, keep: number): Promise<number> {
  const proxy = createTcpServer(near => {
    const far = connect(target, '127.0.0.1')
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
    far.pipe(near)
    near.on('data', chunk => {
      if (chunk.length < 3_000) far.write(chunk)
      else
        far.write(chunk.subarray(0, keep), () => {
          far.destroy()
          near.destroy()
        })
    })
    near.on('close', () => far.destroy())
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  open.push({ close: () => proxy.close() })
  return (proxy.address() as AddressInfo).port
}
