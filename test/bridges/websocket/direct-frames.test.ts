import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import * as ws from 'ws'
import { type WebSocket, WebSocketServer } from 'ws'
import {
  type DirectSocket,
  frameOf,
  passesDirectly,
  receiveDirectly,
} from '../../../src/bridges/websocket/direct-frames.ts'

interface Receiver extends EventEmitter {
  write(chunk: Buffer): boolean
}
type ReceiverClass = new (options: { isServer: boolean; maxPayload: number }) => Receiver
type FrameOptions = { fin: boolean; opcode: number; mask: boolean; rsv1: boolean; readOnly: boolean }
// Exported by the library, but not in its types.
const { Receiver, Sender } = ws as unknown as {
  Receiver: ReceiverClass
  Sender: { frame(data: Buffer, options: FrameOptions): Buffer[] }
}

const MAX_PAYLOAD = 3_000

/** Everything that a parser reports for `chunks`. Chunks are copied, because it changes them. */
function reported(chunks: readonly Buffer[], direct: boolean): string[] {
  const events: string[] = []
  const receiver = new Receiver({ isServer: true, maxPayload: MAX_PAYLOAD })
  const socket = Object.assign(new EventEmitter(), { _receiver: receiver })
  socket.on('message', (data: Buffer, isBinary: boolean) =>
    events.push(`${isBinary} ${data.toString('hex')}`),
  )
  receiver.on('message', (data: Buffer, isBinary: boolean) => socket.emit('message', data, isBinary))
  for (const name of ['ping', 'pong'])
    receiver.on(name, (data: Buffer) => events.push(`${name} ${data.toString('hex')}`))
  receiver.on('conclude', (code: number) => events.push(`close ${code}`))
  let failed = false
  receiver.on('error', (error: Error & { code?: string }) => {
    failed = true
    events.push(`error ${error.code}`)
  })
  if (direct) receiveDirectly(socket as unknown as DirectSocket)
  // After an error or a close frame, the library reads no more of the connection.
  for (const chunk of chunks)
    if (!failed && !events.at(-1)?.startsWith('close')) receiver.write(Buffer.from(chunk))
  return events
}

function frame(
  data: Buffer,
  { fin = true, opcode = 1, mask = true, rsv1 = false }: Partial<FrameOptions>,
): Buffer {
  return Buffer.concat(Sender.frame(data, { fin, opcode, mask, rsv1, readOnly: true }))
}

/** Frames of a participant, mostly messages of audio, with all other kinds and faults between them. */
const frames = fc.oneof(
  { weight: 6, arbitrary: fc.record({ opcode: fc.constant(1), size: fc.integer({ min: 100, max: 900 }) }) },
  { weight: 3, arbitrary: fc.record({ opcode: fc.constant(2), size: fc.integer({ min: 0, max: 2_000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      opcode: fc.constantFrom(0, 1, 2, 8, 9, 10),
      size: fc.constantFrom(0, 2, 125, 126, 127, 2_999, 3_000, 3_001, 66_000),
      fin: fc.boolean(),
      mask: fc.boolean(),
      rsv1: fc.constantFrom(false, false, true),
      broken: fc.boolean(),
    }),
  },
)

function bytesOf(all: readonly (Partial<FrameOptions> & { size: number; broken?: boolean })[]): Buffer {
  return Buffer.concat(
    all.map(({ size, broken = false, ...options }, n) => {
      // Text of two bytes per character, cut in half if `broken`, or a valid code of a close frame.
      const data =
        options.opcode === 8 && size >= 2 ? Buffer.alloc(size, 'é') : Buffer.alloc(size, n % 2 ? 'é' : 'a')
      if (options.opcode === 8 && size >= 2) data.writeUInt16BE(1_000)
      if (broken && size > 2) data[size - 1] = 0xc3
      return frame(data, options)
    }),
  )
}

describe('messages read directly', () => {
  it('are those that the library reads, for any frames in any pieces', () => {
    fc.assert(
      fc.property(
        fc.array(frames, { minLength: 1, maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 2_500 }), { maxLength: 30 }),
        (all, lengths) => {
          const bytes = bytesOf(all)
          const chunks: Buffer[] = []
          let at = 0
          for (const length of lengths) {
            if (at < bytes.length) chunks.push(bytes.subarray(at, at + length))
            at += length
          }
          if (at < bytes.length) chunks.push(bytes.subarray(at))
          expect(reported(chunks, true)).toEqual(reported(chunks, false))
        },
      ),
      { numRuns: 400 },
    )
  })

  it('do not reach the parser of the library', () => {
    const receiver = new Receiver({ isServer: true, maxPayload: MAX_PAYLOAD })
    const write = vi.spyOn(receiver, 'write')
    const socket = Object.assign(new EventEmitter(), { _receiver: receiver })
    const heard = vi.fn()
    socket.on('message', heard)
    receiveDirectly(socket as unknown as DirectSocket)
    const message = frame(Buffer.alloc(300, 'x'), {})
    receiver.write(Buffer.concat([message, message]))
    expect(heard.mock.calls.map(([data, isBinary]) => [String(data), isBinary])).toEqual([
      ['x'.repeat(300), false],
      ['x'.repeat(300), false],
    ])
    expect(write).not.toHaveBeenCalled()
    receiver.write(frame(Buffer.from('short'), {}))
    expect(write).toHaveBeenCalledOnce()
  })
})

describe('a connection of this version of ws', () => {
  it('passes messages directly, in one write and unchanged', async () => {
    await using connection = await connect()
    const { server, client, tcp } = connection
    expect(passesDirectly(server)).toBe(true)
    expect(passesDirectly(client)).toBe(false)
    const received: [string, boolean][] = []
    client.on('message', (data, isBinary) => received.push([String(data), isBinary]))
    const write = vi.spyOn(tcp, 'write')
    const direct = server as unknown as DirectSocket
    const sizes = [126, 900, 65_535]
    for (const size of sizes) direct._socket.write(frameOf(direct, Buffer.alloc(size, 'x'), size === 900)!)
    expect(write).toHaveBeenCalledTimes(sizes.length)
    // Other lengths are left to the library.
    for (const size of [0, 125, 65_536]) expect(frameOf(direct, Buffer.alloc(size), false)).toBeUndefined()
    server.send('end')
    await vi.waitFor(() => expect(received).toHaveLength(4))
    expect(received).toEqual([...sizes.map(size => ['x'.repeat(size), size === 900]), ['end', false]])
    server.close()
    expect(frameOf(direct, Buffer.alloc(200), false)).toBeUndefined()
  })

  it('is left to the library if it compresses', async () => {
    await using connection = await connect(true)
    expect(connection.server.extensions).toBe('permessage-deflate')
    expect(passesDirectly(connection.server)).toBe(false)
  })
})

async function connect(perMessageDeflate = false) {
  const http = createServer()
  const sockets = new WebSocketServer({ server: http, perMessageDeflate })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const client = new ws.WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`, {
    perMessageDeflate,
  })
  const [[server, request]] = await Promise.all([once(sockets, 'connection'), once(client, 'open')])
  return {
    server: server as WebSocket,
    tcp: (request as { socket: Socket }).socket,
    client,
    async [Symbol.asyncDispose]() {
      client.terminate()
      server.terminate()
      http.close()
      await once(http, 'close')
    },
  }
}
