import { once } from 'node:events'
import { io } from 'socket.io-client'
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'

interface Line {
  readonly message: string
  readonly [field: string]: unknown
}

async function logged() {
  const lines: Line[] = []
  const warn = (fields: object, message: string) => void lines.push({ ...fields, message })
  const clock = new FakeClock()
  const log = { debug() {}, info() {}, warn, error: warn }
  const parts = await fakeService({}, { clock, log })
  return { ...parts, clock, lines: () => lines.filter(({ message }) => message === 'connection rejected') }
}

const ws = (url: string) => url.replace('http', 'ws')

test.each([
  ['text', KEY],
  ['a number', 42],
  ['a list', [KEY]],
  ['null', null],
  ['an object without token', {}],
  ['a token that is no text', { token: { key: KEY } }],
])('auth as %s is answered with key_missing', async (_, auth) => {
  const { url } = await fakeService()
  const socket = new WebSocket(`${ws(url)}/socket.io/?EIO=4&transport=websocket`)
  await once(socket, 'message')
  const answer = once(socket, 'message')
  socket.send(`40/stt,${JSON.stringify(auth)}`)
  const text = String((await answer)[0])
  expect(text).toMatch(/^44\/stt,/)
  expect(JSON.parse(text.slice('44/stt,'.length)).data).toMatchObject({
    code: 'unauthorized',
    error: 'key_missing',
  })
  socket.terminate()
})

test('the client library gets the reason of a key as text, and connects no more', async () => {
  const { url, lines } = await logged()
  const socket = io(`${url}/stt`, {
    transports: ['websocket'],
    auth: KEY as never,
    reconnectionDelay: 1,
    forceNew: true,
  })
  const error = await new Promise<Error & { data?: unknown }>(resolve =>
    socket.once('connect_error', resolve),
  )
  expect(error.data).toMatchObject({
    error: 'key_missing',
    description: expect.stringContaining('{ token: key }'),
  })
  await new Promise(resolve => setTimeout(resolve, 100))
  expect(socket.active).toBe(false)
  socket.disconnect()
  expect(lines()).toEqual([
    expect.objectContaining({ reason: 'key_missing', address: '127.0.0.1', count: 1 }),
  ])
})

test('a connection without auth is one attempt', async () => {
  const { url, service } = await fakeService()
  for (const namespace of ['/stt', '/']) {
    const socket = io(url + namespace, { transports: ['websocket'], reconnection: false, forceNew: true })
    await new Promise(resolve => socket.once('connect_error', resolve))
    socket.disconnect()
  }
  expect(service.figures().errors).toEqual({ key_missing: 2 })
})

test.each<[string, string, (url: string) => Promise<unknown>]>([
  [
    'a client of protocol 3',
    'EIO is …, allowed: 4',
    url => fetch(`${url}/socket.io/?EIO=3&transport=polling`),
  ],
  [
    'an unknown transport',
    'transport is …, allowed',
    url => fetch(`${url}/socket.io/?EIO=4&transport=flash`),
  ],
  [
    'a foreign origin',
    'origin is not allowed',
    url => fetch(`${url}/socket.io/?EIO=4&transport=polling`, { headers: { origin: 'https://example.com' } }),
  ],
  [
    'an unknown connection',
    'no connection has this sid',
    url => fetch(`${url}/socket.io/?EIO=4&transport=polling&sid=x`),
  ],
  [
    'an unknown namespace',
    'namespace_unknown',
    async url => {
      const socket = io(`${url}/nothing`, {
        transports: ['websocket'],
        auth: { token: KEY },
        reconnection: false,
        forceNew: true,
      })
      await new Promise(resolve => socket.once('connect_error', resolve))
      socket.disconnect()
    },
  ],
])('%s leaves one line per minute, with the number of refusals', async (_, reason, attempt) => {
  const { url, clock, lines } = await logged()
  for (let n = 0; n < 5; n++) await attempt(url)
  expect(lines()).toEqual([
    expect.objectContaining({ reason: expect.stringContaining(reason), address: '127.0.0.1', count: 1 }),
  ])
  clock.advance(60_000)
  expect(lines().map(({ count }) => count)).toEqual([1, 4])
  clock.advance(120_000)
  expect(lines()).toHaveLength(2)
  await attempt(url)
  expect(lines()).toHaveLength(3)
})

test('the log has no text of a refused client', async () => {
  const { url, lines } = await logged()
  await fetch(`${url}/socket.io/?EIO=${encodeURIComponent('a "secret" text')}&transport=polling`)
  expect(JSON.stringify(lines())).not.toContain('secret')
})
