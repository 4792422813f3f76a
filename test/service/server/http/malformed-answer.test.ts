import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import Fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../../../src/common/clock.ts'
import { edgeServer } from '../../../../src/net/edge-server.ts'
import { answerMalformed, httpOptions } from '../../../../src/service/server/http/http-server.ts'
import { fakeService } from '../../../support/service/fake-service.ts'
import { NO_REQUESTS } from '../../../support/service/malformed-requests.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** A server that allows `headMs` for a head, and whose path `/begun` starts a response without ending it. */
async function server(headMs: number): Promise<number> {
  const app = Fastify({
    ...edgeServer(systemClock),
    http: httpOptions({ headersTimeoutMs: headMs }),
    forceCloseConnections: true,
    clientErrorHandler: (error, socket) => answerMalformed(error, socket as Socket),
  })
  app.get('/begun', (_request, reply) => {
    reply.hijack()
    reply.raw.write('the beginning')
  })
  app.get('/silent', (_request, reply) => {
    reply.hijack()
  })
  open.push(() => app.close())
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}

/** A connection, and all data received on it until it is closed. */
function connected(port: number): { socket: Socket; heard: () => string; whole: Promise<string> } {
  const socket = connect({ port, host: '127.0.0.1' })
  open.push(() => socket.destroy())
  let heard = ''
  socket.setEncoding('latin1').on('data', text => {
    heard += text
  })
  socket.on('error', () => {})
  return { socket, heard: () => heard, whole: once(socket, 'close').then(() => heard) }
}

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

test('answers a late head with a timeout of the table', async () => {
  const { socket, whole } = connected(await server(200))
  socket.write('GET /health HT')
  const answer = await whole
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer).toContain('"error":"upload_too_slow"')
})

test('answers garbage after a request', async () => {
  const { socket, whole } = connected(await server(10_000))
  socket.write(`${GET('/silent')}garbage\r\n\r\n`)
  expect(await whole).toMatch(/^HTTP\/1\.1 400 .*"error":"request_malformed"/s)
})

test.each([
  ['alone', GET('/begun')],
  ['and another request waits', GET('/begun') + GET('/silent')],
])('writes nothing into a started response: %s', async (_, requests) => {
  const { socket, heard, whole } = connected(await server(10_000))
  socket.write(requests)
  while (!heard().includes('the beginning')) await once(socket, 'data')
  socket.write('garbage\r\n\r\n')
  expect((await whole).match(/HTTP\/1\.1/g)).toHaveLength(1)
})

test.each(NO_REQUESTS)(
  '%j is not a request: blank lines get no response, and their end closes the connection',
  async bytes => {
    const { url, get } = await fakeService()
    const { socket, whole } = connected(Number(new URL(url).port))
    socket.end(bytes)
    expect(await whole).toBe('')
    expect((await get('/health')).status).toBe(200)
  },
)

test('blank lines before a request are ignored', async () => {
  const { url } = await fakeService()
  const { socket, whole } = connected(Number(new URL(url).port))
  socket.write('\r\n\r\r\n\nGET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(await whole).toMatch(/^HTTP\/1\.1 200 /)
})
