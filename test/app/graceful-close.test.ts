import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { FakeClock } from '../../simulator/index.ts'
import { GracefulClose } from '../../src/app/graceful-close.ts'
import { systemClock } from '../../src/common/clock.ts'
import { until } from '../support/until.ts'

/** A server whose `/slow` is answered on demand, and whose `/stream` never ends. */
async function serving(clock: typeof systemClock | FakeClock = systemClock) {
  const server = Fastify({ forceCloseConnections: true })
  const close = new GracefulClose(server, clock)
  close.start()
  const answer = Promise.withResolvers<string>()
  let asked = 0
  server.get('/slow', () => {
    asked++
    return answer.promise
  })
  server.get('/stream', (_request, reply) => {
    asked++
    reply.hijack()
    reply.raw.writeHead(200).write('first')
  })
  server.get('/quick', async () => 'quick')
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo
  const fetched = async (path: string, agent?: Agent): Promise<IncomingMessage> => {
    const [response] = await once(get({ host: '127.0.0.1', port, path, agent }), 'response')
    return response as IncomingMessage
  }
  return {
    ...{ close, answer, fetched },
    requests: (count: number) => until(() => asked === count, 2_000, `${count} requests`),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

test('answers running requests, accepts no others, and ends their connections', async () => {
  await using server = await serving()
  const slow = server.fetched('/slow')
  await server.requests(1)
  let finished = false
  const finish = server.close.finish().then(() => (finished = true))
  await expect(server.fetched('/quick')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect(finished).toBe(false)
  server.answer.resolve('late')
  const response = await slow
  expect(response.statusCode).toBe(200)
  expect(response.headers.connection).toBe('close')
  expect(await response.setEncoding('utf8').toArray()).toEqual(['late'])
  await finish
})

test('ends connections that are kept open once it has started', async () => {
  await using server = await serving()
  using agent = { keeper: new Agent({ keepAlive: true }), [Symbol.dispose]: () => agent.keeper.destroy() }
  const before = await server.fetched('/quick', agent.keeper)
  expect(before.headers.connection).toBe('keep-alive')
  await before.resume().toArray()
  server.close.begin()
  const after = await server.fetched('/quick', agent.keeper)
  expect(after.headers.connection).toBe('close')
})

test('does not wait for a reply that has started', async () => {
  await using server = await serving()
  const stream = await server.fetched('/stream')
  await server.close.finish()
  stream.destroy()
})

test('waits no longer than 10 s', async () => {
  const clock = new FakeClock()
  await using server = await serving(clock)
  const slow = server.fetched('/slow')
  slow.catch(() => {})
  await server.requests(1)
  let finished = false
  const finish = server.close.finish().then(() => (finished = true))
  await clock.advance(9_900)
  expect(finished).toBe(false)
  await clock.advance(200)
  await finish
})
