import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server as CurrentServer } from 'socket.io'
import { Server as OldestServer } from 'socket.io-floor'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/common/clock.ts'
import type { TranslationResult } from '../../../src/core/translation/translator.ts'
import { RESULT_PATHS } from '../../../src/service/client/result-paths.ts'
import { socketAddress } from '../../../src/service/client/service-address.ts'
import type { SessionEnd } from '../../../src/service/client/session-events.ts'
import { SessionSocket } from '../../../src/service/client/session-socket.ts'
import { until } from '../../support/until.ts'

const PATIENCE_MS = 10_000
const SIZES = [0, 1, 125, 126, 3_200, 65_535, 65_536, 200_000]

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

/** A server that acknowledges each fragment with its length, or false for 125 bytes, and answers with its bytes. */
async function serve(Server: typeof CurrentServer, pingInterval = 25_000) {
  const http = createServer()
  const io = new Server(http, { pingInterval, maxHttpBufferSize: 1_000_000 })
  const received: Buffer[] = []
  io.of('/sts').on('connection', socket => {
    socket.emit('start', true)
    socket.on('write_stream', (bytes: Buffer, ack: (status: unknown) => void) => {
      received.push(bytes)
      ack(bytes.length === 125 ? false : bytes.length)
      socket.emit('result', { text: '¡Así!', file: { data: bytes } })
      socket.emit('endSynth')
    })
  })
  await new Promise<void>(settle => http.listen(0, '127.0.0.1', settle))
  open.push(io)
  return { io, received, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` }
}

/** A session at `url`, and what it was told. */
async function session(url: string) {
  const told = {
    acks: [] as [number, boolean][],
    results: [] as TranslationResult[],
    ends: 0,
    end: undefined as SessionEnd | undefined,
  }
  const options = {
    ...{
      address: socketAddress(url, '/sts', undefined),
      apiKey: 'key',
      query: {},
      resultPaths: RESULT_PATHS,
    },
    ...{ connectMs: PATIENCE_MS, startMs: PATIENCE_MS, maxMessageBytes: 1_000_000, clock: systemClock },
  }
  const socket = new SessionSocket(
    { ...options, voice: 'block' },
    {
      ready: () => {},
      acked: (sequence, ok) => void told.acks.push([sequence, ok]),
      result: result => void told.results.push(result),
      endOfSpeech: () => void told.ends++,
      fault: () => {},
      ended: end => {
        told.end = end
      },
    },
  )
  open.push({ close: () => socket.end({ kind: 'closed' }) })
  await until(() => socket.ready, PATIENCE_MS, 'start')
  return { socket, told }
}

describe.each([
  ['the current Socket.IO', CurrentServer],
  ['the oldest Socket.IO', OldestServer],
])('with %s', (_, Server) => {
  test('each fragment has its own acknowledgment, and its bytes are those at the time of the call', async () => {
    const { url, received } = await serve(Server)
    const { socket, told } = await session(url)
    const memory = new Uint8Array(200_000)
    // All at once: the library keeps what it cannot write yet.
    for (const [n, size] of SIZES.entries()) {
      memory.fill(n + 1)
      socket.send(memory.subarray(0, size), n)
    }
    memory.fill(0)
    await until(() => told.ends === SIZES.length, PATIENCE_MS, 'all answers')
    expect(told.acks).toEqual(SIZES.map((size, n) => [n, size !== 125]))
    expect(received.map(bytes => bytes.length)).toEqual(SIZES)
    for (const [n, bytes] of received.entries()) expect(bytes.every(byte => byte === n + 1)).toBe(true)
    expect(told.results.map(({ audio }) => audio?.length ?? 0)).toEqual(SIZES)
    expect(told.results.every(({ text }) => text === '¡Así!')).toBe(true)
    expect(new Set(told.results.map(({ utterance }) => utterance)).size).toBe(SIZES.length)
  })

  test('the session survives pings, and ends with its reason', async () => {
    const { url, io } = await serve(Server, 20)
    const { socket, told } = await session(url)
    let pings = 0
    for (const { conn } of io.of('/sts').sockets.values()) conn.on('heartbeat', () => pings++)
    await until(() => pings > 3, PATIENCE_MS, 'answers to pings')
    expect(socket.ready).toBe(true)
    io.of('/sts').disconnectSockets()
    await until(() => told.end, PATIENCE_MS, 'the end')
    expect(told.end).toMatchObject({ kind: 'failed', error: { error: 'connection_lost' } })
  })
})

test.each(['{bad', 'null', '', '7'])(
  'a handshake of %j ends the session, and no exception is thrown',
  async data => {
    const { url, io } = await serve(CurrentServer)
    const { told } = await session(url)
    const [peer] = io.of('/sts').sockets.values()
    peer!.conn.transport.send([{ type: 'open', data } as never])
    await until(() => told.end, PATIENCE_MS, 'the end')
    expect(told.end).toMatchObject({ kind: 'failed', error: { code: 'protocol', retryable: true } })
  },
)

test('a flood of pings ends the session, because each is answered', async () => {
  const { url, io } = await serve(CurrentServer)
  const { told } = await session(url)
  const [peer] = io.of('/sts').sockets.values()
  const { transport } = peer!.conn
  for (let n = 0; n < 20_000; n++) {
    transport.send([{ type: 'ping' } as never])
    if (n % 1_000 === 0) await new Promise(setImmediate)
  }
  await until(() => told.end, PATIENCE_MS, 'the end')
  expect(told.end).toMatchObject({ kind: 'failed', error: { code: 'protocol', error: 'flood' } })
})
