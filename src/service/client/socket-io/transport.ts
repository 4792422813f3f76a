import { randomFillSync } from 'node:crypto'
import { createRequire } from 'node:module'
import { NodeWebSocket } from 'engine.io-client'
import { WebSocket } from 'ws'
import { BinaryEvent, plainAckOf } from './packets.ts'

/** Unsent data above which a connection ends (bytes). */
const MOST_UNSENT_BYTES = 64 * 1_048_576
/** Socket.IO compresses nothing here, so messages are sent without compression. */
const BINARY_OPTIONS = Object.freeze({ compress: false })
const TEXT_OPTIONS = Object.freeze({ compress: false, binary: false })
/** Packet types of Engine.IO 4 by their digit. */
const TYPES = ['open', 'close', 'ping', 'pong', 'message', 'upgrade', 'noop'] as const
type PacketName = (typeof TYPES)[number]

interface EnginePacket {
  readonly type: PacketName
  readonly data?: unknown
}

/**
 * What `ws` keeps to itself and this transport uses: the stream below a WebSocket, and whether its sender is busy with a
 * message. `ws` is pinned in package.json for that; `transport.test.ts` fails when it changes.
 */
interface WebSocketInternals {
  readonly _socket: { cork(): void; uncork(): void; write(bytes: Uint8Array): boolean }
  readonly _sender: { readonly _state: number }
}

/**
 * A WebSocket transport of our Socket.IO client (its `transports` option). On the wire it equals the library's own, but
 * sends both frames of a binary event with one write (two in the library) and recognizes acknowledgments by their bytes.
 */
export class BinaryEventTransport extends NodeWebSocket {
  override createSocket(uri: string, protocols: string | string[] | undefined, options: object): WebSocket {
    return new WebSocket(uri, protocols, options)
  }

  override doOpen(): this {
    super.doOpen()
    const websocket = this.ws as WebSocket | undefined
    if (!websocket) return this
    // `onmessage` would create an event object for every message.
    websocket.onmessage = null
    websocket.on('message', (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary))
    return this
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (isBinary) this.#packet({ type: 'message', data })
    else {
      const ack = plainAckOf(data)
      const type = TYPES[data[0]! - 0x30]
      if (ack) this.#packet({ type: 'message', data: ack })
      // The library decides what to do with anything that is not a packet.
      else if (type === undefined) this.onData(data.toString())
      else this.#packet(data.length > 1 ? { type, data: data.toString('utf8', 1) } : { type })
    }
  }

  #packet(packet: EnginePacket): void {
    this.onPacket(packet as Parameters<NodeWebSocket['onPacket']>[0])
  }

  /**
   * Sends everything at once. `packets` is the engine's own list: it is emptied, so that the transport stays writable and
   * no `drain` is due. Data that the network does not accept waits in the WebSocket (`bufferedAmount`); sessions bound it by
   * the number of unacknowledged fragments, and a limit here ends a connection that no one bounds.
   */
  override write(packets: EnginePacket[]): void {
    const websocket = this.ws as WebSocket
    if (websocket.bufferedAmount > MOST_UNSENT_BYTES) {
      packets.length = 0
      this.onError('the service does not read', new Error(`${websocket.bufferedAmount} bytes wait`))
      return
    }
    for (const { type, data } of packets.splice(0)) {
      try {
        if (data instanceof BinaryEvent) sendBinaryEvent(websocket, data)
        else if (data instanceof Uint8Array || data instanceof ArrayBuffer)
          websocket.send(data, BINARY_OPTIONS)
        else websocket.send(`${TYPES.indexOf(type)}${data ?? ''}`, TEXT_OPTIONS)
      } catch {
        // The WebSocket is already closing, and reports that itself.
      }
    }
  }
}

/** Maximum payload of a frame with a one-byte length, and with two more (RFC 6455, 5.2). */
const SHORT_PAYLOAD = 125
const LONG_PAYLOAD = 65_535
const FINAL_TEXT = 0x81
const FINAL_BINARY = 0x82
const MASKED = 0x80
/** First byte, length, masking key. */
const HEADER = 6
/** The state of an idle sender in `ws`. */
const IDLE = 0

/**
 * Sends `4<text>` as a text frame and the bytes as a binary frame, in one write. Each frame has its own masking key, and
 * `bytes` stays unchanged, because it can be sent again.
 */
function sendBinaryEvent(websocket: WebSocket, { text, bytes }: BinaryEvent): void {
  if (websocket.readyState !== WebSocket.OPEN) return
  const { _socket: stream, _sender: sender } = websocket as unknown as WebSocketInternals
  const textLength = text.length + 1
  const size = bytes.length
  const direct = websocket.extensions === '' && sender._state === IDLE
  if (!direct || textLength > SHORT_PAYLOAD || size > LONG_PAYLOAD) {
    stream.cork()
    websocket.send(`4${text}`, TEXT_OPTIONS)
    // A copy: `ws` can keep the bytes until later.
    websocket.send(Buffer.from(bytes), BINARY_OPTIONS)
    stream.uncork()
    return
  }
  const wide = size > SHORT_PAYLOAD ? 2 : 0
  const frames = allocate(HEADER + textLength + HEADER + wide + size)
  frames[0] = FINAL_TEXT
  frames[1] = MASKED | textLength
  let key = putMaskingKey(frames, 2)
  frames[HEADER] = 0x34 ^ frames[2]!
  for (let n = 1; n < textLength; n++) frames[HEADER + n] = text.charCodeAt(n - 1) ^ (key >>> ((n & 3) << 3))
  let at = HEADER + textLength
  frames[at] = FINAL_BINARY
  frames[at + 1] = MASKED | (wide === 0 ? size : 126)
  if (wide > 0) frames.writeUInt16BE(size, at + 2)
  at += 2 + wide
  key = putMaskingKey(frames, at)
  mask(bytes, key, frames, at + 4)
  stream.write(frames)
}

/** Memory for outgoing frames is cut from blocks of this size, because the stream keeps it until it is sent (bytes). */
const BLOCK_BYTES = 65_536
let block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
let blockUsed = 0

function allocate(size: number): Buffer {
  if (size > BLOCK_BYTES / 4) return Buffer.allocUnsafeSlow(size)
  if (blockUsed + size > BLOCK_BYTES) {
    block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
    blockUsed = 0
  }
  const piece = block.subarray(blockUsed, blockUsed + size)
  blockUsed += size
  return piece
}

/** Unpredictable masking keys (RFC 6455, 5.3), drawn from the system in blocks. */
const KEYS = new Uint32Array(4_096)
let keysUsed = KEYS.length

function putMaskingKey(target: Buffer, at: number): number {
  if (keysUsed === KEYS.length) {
    randomFillSync(KEYS)
    keysUsed = 0
  }
  const key = KEYS[keysUsed++]!
  target.writeUInt32LE(key, at)
  return key
}

type Mask = (source: Uint8Array, key: Uint8Array, output: Uint8Array, offset: number, length: number) => void

/** The native masking that `ws` uses as well, if installed. */
const nativeMask = loadNativeMask()
const KEY_BYTES = Buffer.alloc(4)

function loadNativeMask(): Mask | undefined {
  try {
    return (createRequire(import.meta.url)('bufferutil') as { mask: Mask }).mask
  } catch {
    return undefined
  }
}

function mask(source: Uint8Array, key: number, target: Buffer, at: number): void {
  if (nativeMask) {
    KEY_BYTES.writeUInt32LE(key)
    nativeMask(source, KEY_BYTES, target, at, source.length)
    return
  }
  for (let n = 0; n < source.length; n++) target[at + n] = source[n]! ^ (key >>> ((n & 3) << 3))
}
