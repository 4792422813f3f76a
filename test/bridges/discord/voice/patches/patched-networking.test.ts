import type { Socket } from 'node:dgram'
import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../../simulator/fakes/fake-clock.ts'
import {
  CODE,
  type ConnectionData,
  type Networking,
  NetworkingPatches,
  type NetworkingState,
  type VoicePacket,
  type VoiceSocket,
  type VoiceUdp,
} from '../../../../../src/bridges/discord/voice/patches/patched-networking.ts'

/** The library’s socket: passes messages to its listeners, and throws what they throw. */
class FakeSocket extends EventEmitter implements VoiceSocket {
  readonly ws = { readyState: 1, terminated: 0, terminate: () => void this.ws.terminated++ }
  onMessage(event: { readonly data: unknown }): void {
    this.emit('packet', event.data)
  }
}

class FakeUdp extends EventEmitter implements VoiceUdp {
  readonly socket = new EventEmitter() as Socket
  readonly remote = { ip: '127.0.0.1', port: 5_000 }
  readonly sent: Buffer[] = []
  closed = false
  keepAlive(): void {
    if (this.closed) throw new Error('Not running')
  }
  send(datagram: Buffer): void {
    if (this.closed) throw new Error('Not running')
    this.sent.push(datagram)
  }
}

class FakeNetworking extends EventEmitter implements Networking {
  state: NetworkingState
  constructor(state: NetworkingState) {
    super()
    this.state = state
  }
  to(state: NetworkingState): void {
    const old = this.state
    this.state = state
    this.emit('stateChange', old, state)
  }
  createAudioPacket(opus: Buffer): Buffer {
    return opus
  }
}

const DATA: ConnectionData = { ssrc: 77, connectedClients: new Set(), sequence: 1, timestamp: 2, nonce: 3 }

function stage() {
  const clock = new FakeClock()
  const socket = new FakeSocket()
  const udp = new FakeUdp()
  const networking = new FakeNetworking({ code: 0, ws: socket })
  const packets: unknown[] = []
  const datagrams: [number, boolean][] = []
  const failures: unknown[] = []
  const codes: number[] = []
  const state = { rekeyed: 0 }
  const patches = new NetworkingPatches(networking, clock, {
    packet: (packet: VoicePacket) => void packets.push(packet),
    datagram: ({ length }, fromServer) => void datagrams.push([length, fromServer]),
    changed: () => {},
    rekeyed: () => void state.rekeyed++,
    closing: code => void codes.push(code),
    failed: error => void failures.push(error),
  })
  patches.start()
  return { clock, socket, udp, networking, packets, datagrams, failures, codes, patches, state }
}

describe('IP discovery', () => {
  test('is requested every second, five times, until it is answered', () => {
    const { clock, socket, udp, networking } = stage()
    networking.to({ code: CODE.udpHandshaking, ws: socket, udp, connectionData: DATA })
    clock.advance(900)
    expect(udp.sent.length).toBe(0)
    clock.advance(20_000)
    // The first request is the library’s own.
    expect(udp.sent.length).toBe(4)
    expect(udp.sent[0]?.length).toBe(74)
    expect(udp.sent[0]?.readUInt32BE(4)).toBe(77)
    expect(clock.pending).toBe(0)
  })

  test('is not requested after an answer or the last attempt', () => {
    for (const end of ['answered', 'disposed'] as const) {
      const { clock, socket, udp, networking, patches } = stage()
      networking.to({ code: CODE.udpHandshaking, ws: socket, udp, connectionData: DATA })
      if (end === 'answered') networking.to({ code: 3, ws: socket, udp, connectionData: DATA })
      else patches[Symbol.dispose]()
      clock.advance(20_000)
      expect(udp.sent.length).toBe(0)
      expect(clock.pending).toBe(0)
    }
  })

  test('fails without harm on a socket that was closed in the meantime', () => {
    const { clock, socket, udp, networking, failures } = stage()
    networking.to({ code: CODE.udpHandshaking, ws: socket, udp, connectionData: DATA })
    udp.closed = true
    udp.keepAlive()
    clock.advance(1_000)
    expect(failures.length).toBe(2)
  })
})

describe('messages', () => {
  test('are counted if their handler throws, and the next one is handled', () => {
    const { socket, packets, failures } = stage()
    socket.once('packet', () => {
      throw new Error('an unexpected error')
    })
    socket.onMessage({ data: 'one' })
    socket.onMessage({ data: 'two' })
    expect(failures.length).toBe(1)
    expect(packets).toEqual(['one', 'two'])
  })

  test('wait while the session is resumed, in order, except those needed for resuming', async () => {
    const { networking, packets, state } = stage()
    const resumed = new FakeSocket()
    networking.to({ code: CODE.resuming, ws: resumed })
    const json = (op: number) => JSON.stringify({ op, d: null })
    const commit = Buffer.of(0, 7, 29, 0, 1)
    for (const data of [json(8), json(11), commit, json(22), json(6), json(13), json(9)])
      resumed.onMessage({ data })
    expect(packets).toEqual([8, 6, 9].map(json))
    networking.to({ code: CODE.ready, ws: resumed })
    // In the same turn of the event loop: not before the waiting ones.
    resumed.onMessage({ data: json(21) })
    await Promise.resolve()
    resumed.onMessage({ data: json(24) })
    expect(packets.slice(3)).toEqual([json(11), commit, json(22), json(13), json(21), json(24)])
    expect(state.rekeyed).toBe(1)
  })

  test('wait in a limited number; unreadable ones are reported immediately', async () => {
    const { networking, packets } = stage()
    const resumed = new FakeSocket()
    networking.to({ code: CODE.resuming, ws: resumed })
    for (let n = 0; n < 1_000; n++) resumed.onMessage({ data: Buffer.of(n & 0xff) })
    resumed.onMessage({ data: 'no JSON' })
    expect(packets).toEqual(['no JSON'])
    networking.to({ code: CODE.ready, ws: resumed })
    await Promise.resolve()
    expect(packets.length).toBe(1 + 256)
  })

  test('of a finished connection are ignored', () => {
    const { socket, udp, networking, packets, datagrams, patches } = stage()
    networking.to({ code: 3, ws: socket, udp, connectionData: DATA })
    patches[Symbol.dispose]()
    socket.onMessage({ data: 'one' })
    udp.socket.emit('message', Buffer.alloc(50), { address: '127.0.0.1', port: 5_000 })
    expect(packets).toEqual([])
    expect(datagrams).toEqual([])
  })
})

test('datagrams are marked as from the voice server or not', () => {
  const { socket, udp, networking, datagrams } = stage()
  networking.to({ code: 3, ws: socket, udp, connectionData: DATA })
  udp.socket.emit('message', Buffer.alloc(50), { address: '127.0.0.1', port: 5_000 })
  udp.socket.emit('message', Buffer.alloc(51), { address: '127.0.0.1', port: 5_001 })
  udp.socket.emit('message', Buffer.alloc(52), { address: '10.0.0.1', port: 5_000 })
  expect(datagrams).toEqual([
    [50, true],
    [51, false],
    [52, false],
  ])
})

test('a socket that hangs while closing is terminated', () => {
  const { socket, clock, patches } = stage()
  for (let n = 0; n < 10; n++) {
    clock.advance(1_000)
    patches.check()
  }
  expect(socket.ws.terminated).toBe(0)
  socket.ws.readyState = 2
  patches.check()
  clock.advance(1_000)
  patches.check()
  expect(socket.ws.terminated).toBe(0)
  clock.advance(1_000)
  patches.check()
  expect(socket.ws.terminated).toBe(1)
})

test('the close code is reported before the library reacts to it', () => {
  const { networking, codes } = stage()
  const order: string[] = []
  networking.on('close', () => void order.push(`library after ${codes.length}`))
  networking.emit('close', 4_006)
  expect(order).toEqual(['library after 1'])
  expect(codes).toEqual([4_006])
})
