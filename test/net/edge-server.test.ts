import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { edgeServer, hasBegunResponse } from '../../src/net/edge-server.ts'
import { type RawConnection, rawConnection } from '../support/security/raw.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const SILENT = 'GET /silent HTTP/1.1\r\nHost: a\r\n\r\n'
const COUNT = 'GET /count HTTP/1.1\r\nHost: a\r\n\r\n'
const LARGE = 8 * 1024 * 1024

/** A server on loopback that records what reaches its routes. */
async function server() {
  const clock = new FakeClock()
  const app = Fastify({ ...edgeServer(clock), forceCloseConnections: true, bodyLimit: 1_000_000 })
  const ran: string[] = []
  app.addHook('onRequest', async ({ url, headers }, reply) => {
    ran.push(url)
    // Body parts that came with the head arrive first.
    await new Promise(resolve => setImmediate(resolve))
    return headers['x-refuse'] === undefined ? undefined : reply.code(401).send({ error: 'refused' })
  })
  app.get('/count', () => ({ ran: ran.length }))
  app.get('/large', (_request, reply) => reply.send(Buffer.alloc(LARGE)))
  app.get('/stream', (_request, reply) => reply.send(Readable.from(pieces())))
  app.get('/silent', (_request, reply) => void reply.hijack())
  app.post('/upload', () => ({ received: true }))
  open.push(() => app.close())
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  const connect = (text: string, options = {}): RawConnection => {
    const connection = rawConnection(port, '127.0.0.1', options)
    open.push(() => connection[Symbol.asyncDispose]())
    connection.socket.write(text)
    return connection
  }
  return { app, clock, ran, connect }
}

function* pieces(): Generator<Buffer> {
  for (let at = 0; at < LARGE; at += 65_536) yield Buffer.alloc(65_536)
}

const connections = ({ server }: FastifyInstance) => promisify(server.getConnections.bind(server))()
const answers = ({ text }: RawConnection) =>
  [...text().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)

test.each([
  'GET http://internal:9/count',
  'GET HTTPS://internal/count',
  'GET //internal/count',
  'GET ///count',
  'GET /\\internal/count',
  'GET /count\\x',
  'GET *',
  'GET internal:9',
  'CONNECT internal:9',
  'GET /count\tx',
])('rejects the target of %s, also of an upgrade', async line => {
  const { ran, connect } = await server()
  for (const upgrade of ['', 'Connection: Upgrade\r\nUpgrade: websocket\r\n']) {
    const connection = connect(`${line} HTTP/1.1\r\nHost: a\r\n${upgrade}\r\n`)
    await connection.over
    expect(answers(connection)).toEqual(['400'])
  }
  expect(ran).toEqual([])
})

test.each(['GET /count?to=//x&back=a\\b', 'GET /k%C3%B6ln', 'OPTIONS *'])(
  'accepts the target of %s',
  async line => {
    const { ran, connect } = await server()
    const connection = connect(`${line} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await expect.poll(() => answers(connection)).toHaveLength(1)
    expect(answers(connection)).not.toContain('400')
    expect(ran).toHaveLength(1)
  },
)

test('answers requests that were sent ahead in order, one at a time', async () => {
  const { connect } = await server()
  const connection = connect(COUNT.repeat(20))
  await expect.poll(() => answers(connection)).toHaveLength(20)
  expect([...connection.text().matchAll(/"ran":(\d+)/g)].map(([, n]) => Number(n))).toEqual(
    Array.from({ length: 20 }, (_, n) => n + 1),
  )
})

test.each([
  ['complete requests', COUNT],
  ['requests without Host', 'GET /count HTTP/1.1\r\n\r\n'],
  ['requests with Expect', 'GET /count HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n'],
])('closes a connection that sends many %s ahead, and runs none of them', async (_, request) => {
  const { ran, connect } = await server()
  const connection = connect(SILENT + request.repeat(400))
  await connection.over
  expect(ran).toEqual(['/silent'])
  expect(connection.text()).toBe('')
})

test('runs nothing behind a response that is not read', async () => {
  const { ran, connect } = await server()
  const connection = connect('')
  connection.socket.pause()
  connection.socket.write(`GET /large HTTP/1.1\r\nHost: a\r\n\r\n${COUNT.repeat(10)}`)
  await expect.poll(() => ran).toEqual(['/large'])
  connection.socket.resume()
  await expect.poll(() => answers(connection)).toHaveLength(11)
})

test('closes a connection whose requests wait for 60 s, however many more it sends', async () => {
  const { app, clock, ran, connect } = await server()
  const connection = connect(SILENT + COUNT)
  await expect.poll(() => ran).toHaveLength(1)
  clock.advance(59_000)
  expect(connection.socket.destroyed).toBe(false)
  connection.socket.write(COUNT)
  await expect.poll(() => connection.socket.bytesWritten).toBeGreaterThan(SILENT.length + COUNT.length)
  clock.advance(1_000)
  await connection.over
  expect(ran).toEqual(['/silent'])
  await expect.poll(() => connections(app)).toBe(0)
})

test('limits the time of a response that is not read to twice 30 s, and gives the next request its own time', async () => {
  const { app, connect } = await server()
  app.server.setTimeout(123_000)
  const timeouts: (number | undefined)[] = []
  app.server.prependListener('request', ({ socket }) => timeouts.push(socket.timeout))
  const connection = connect('')
  connection.socket.pause()
  const sockets: { timeout?: number }[] = []
  app.server.on('request', ({ socket }) => sockets.push(socket))
  connection.socket.write(`GET /stream HTTP/1.1\r\nHost: a\r\n\r\n${COUNT}`)
  await expect.poll(() => sockets[0]?.timeout).toBe(30_000)
  // A slow reader gets everything.
  connection.socket.resume()
  await expect.poll(() => answers(connection)).toEqual(['200', '200'])
  expect(connection.text().length).toBeGreaterThan(LARGE)
  expect(timeouts).toEqual([123_000, 123_000])
})

const UPLOAD = (headers: string, body = '') => `POST /upload HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`
const JSON_TYPE = 'Content-Type: application/json\r\n'

test.each([
  ['401', `${JSON_TYPE}X-Refuse: 1\r\nContent-Length: 20000`],
  ['401', `${JSON_TYPE}X-Refuse: 1\r\nTransfer-Encoding: chunked`],
  ['413', `${JSON_TYPE}Content-Length: 9000000`],
  ['415', 'Content-Type: text/odd\r\nContent-Length: 20000'],
])('a %s before the body has ended ends the connection: %s', async (status, headers) => {
  const { app, clock, ran, connect } = await server()
  const connection = connect(UPLOAD(headers, '4\r\n{}'), { allowHalfOpen: true })
  await expect.poll(() => connection.text()).toMatch(/\}$/)
  expect(answers(connection)).toEqual([status])
  expect(connection.text()).toMatch(/\r\nconnection: close\r\n/i)
  // The client can go on sending for a while: a reset could take the response from it.
  connection.socket.write('    ')
  clock.advance(4_900)
  expect(await connections(app)).toBe(1)
  clock.advance(100)
  await expect.poll(() => connections(app)).toBe(0)
  expect(ran).toHaveLength(1)
})

test('ends the connection as soon as the rest of a refused body has arrived, and runs nothing behind it', async () => {
  const { ran, connect } = await server()
  const connection = connect(UPLOAD('X-Refuse: 1\r\nContent-Length: 10', '12345'))
  await expect.poll(() => answers(connection)).toEqual(['401'])
  connection.socket.write(`67890${COUNT}`)
  await connection.over
  expect(ran).toEqual(['/upload'])
})

test('keeps the connection after a refused request that has arrived completely', async () => {
  const { connect } = await server()
  const connection = connect(UPLOAD(`${JSON_TYPE}X-Refuse: 1\r\nContent-Length: 2`, '{}') + COUNT)
  await expect.poll(() => answers(connection)).toEqual(['401', '200'])
})

test('tells whether a response has begun', async () => {
  const { app, connect } = await server()
  const begun: boolean[] = []
  app.server.on('request', ({ socket }, response) => {
    begun.push(hasBegunResponse(socket))
    response.once('finish', () => begun.push(hasBegunResponse(socket)))
  })
  const connection = connect(COUNT)
  await expect.poll(() => answers(connection)).toEqual(['200'])
  expect(begun).toEqual([false, true])
})
