import { isUtf8 } from 'node:buffer'
import type { EventEmitter } from 'node:events'
import { WebSocket } from 'ws'

/**
 * The server's end of a connection without extensions, whose messages can bypass `ws`: with what the library keeps to
 * itself and this file uses, which are its parser, the stream below, and whether its sender is busy with a message. `ws` is
 * pinned in package.json for that; `direct-frames.test.ts` fails when it changes.
 */
export interface DirectSocket extends EventEmitter {
  readonly readyState: number
  readonly _receiver: Receiver
  readonly _socket: { write(bytes: Uint8Array): boolean }
  readonly _sender: { readonly _state: number }
}

interface Receiver {
  readonly _state: number
  readonly _bufferedBytes: number
  readonly _fragmented: number
  readonly _opcode: number
  readonly _errored: boolean
  readonly _maxPayload: number
  write(chunk: Buffer): boolean
}

/** The state of a parser between two frames, and of an idle sender. */
const IDLE = 0
const FINAL_TEXT = 0x81
const FINAL_BINARY = 0x82
const CLOSE = 0x08
const MASKED = 0x80
/** Maximum payload with a length field of one byte, and of three bytes (RFC 6455, 5.2). */
const SHORT_PAYLOAD = 125
const LONG_PAYLOAD = 65_535
/** The second byte of a frame with two more bytes of length. */
const LONG = 126
/** Bytes of the header of such a frame, with and without masking key. */
const MASKED_HEADER = 8
const HEADER = 4

/**
 * Returns true if messages of `socket` can bypass `ws`. Almost all of them are audio in one frame of 126 to 65,535 bytes, for
 * which the library's parser and streams cost more than the call itself.
 */
export function passesDirectly(socket: object): socket is DirectSocket {
  const { _isServer, _receiver, _socket, _sender, extensions } = socket as Partial<
    DirectSocket & { _isServer: boolean; extensions: string }
  >
  return _isServer === true && _receiver?._state === IDLE && !!_socket && !!_sender && extensions === ''
}

/** From now on, reads whole messages of `socket` in one frame of that length, and leaves everything else to `ws`. */
export function receiveDirectly(socket: DirectSocket): void {
  const receiver = socket._receiver
  const parse = receiver.write.bind(receiver)
  receiver.write = chunk => {
    let at = 0
    while (at < chunk.length) {
      const end = messageEnd(chunk, at, receiver)
      if (end < 0 || !receive(socket, chunk, at, end)) break
      at = end
    }
    if (at === chunk.length) return true
    return parse(at === 0 ? chunk : chunk.subarray(at))
  }
}

/**
 * Returns `message` (copied) as one frame for `socket._socket`, so that it leaves with one write; undefined if only `ws` can
 * send it now.
 */
export function frameOf(socket: DirectSocket, message: Buffer, binary: boolean): Buffer | undefined {
  const size = message.length
  if (size <= SHORT_PAYLOAD || size > LONG_PAYLOAD) return undefined
  if (socket.readyState !== WebSocket.OPEN || socket._sender._state !== IDLE) return undefined
  const frame = Buffer.allocUnsafe(HEADER + size)
  frame[0] = binary ? FINAL_BINARY : FINAL_TEXT
  frame[1] = LONG
  frame[2] = size >> 8
  frame[3] = size & 0xff
  frame.set(message, HEADER)
  return frame
}

/** Returns the end of the frame at `at` if it is such a message and complete; otherwise −1. */
function messageEnd(chunk: Buffer, at: number, receiver: Receiver): number {
  const start = at + MASKED_HEADER
  if (start > chunk.length || chunk[at + 1] !== (MASKED | LONG)) return -1
  if (chunk[at] !== FINAL_TEXT && chunk[at] !== FINAL_BINARY) return -1
  const size = (chunk[at + 2]! << 8) | chunk[at + 3]!
  const { _maxPayload } = receiver
  if (size <= SHORT_PAYLOAD || start + size > chunk.length || (_maxPayload > 0 && size > _maxPayload))
    return -1
  // In the middle of a frame or a message, after a close frame, or after an error.
  if (receiver._state !== IDLE || receiver._bufferedBytes > 0 || receiver._fragmented !== 0) return -1
  return receiver._opcode === CLOSE || receiver._errored ? -1 : start + size
}

/** Passes the message between `at` and `end` to the listeners. Returns false, with the same bytes, if it is invalid text. */
function receive(socket: DirectSocket, chunk: Buffer, at: number, end: number): boolean {
  const isBinary = chunk[at] === FINAL_BINARY
  const start = at + MASKED_HEADER
  unmask(chunk, start, end)
  const message = chunk.subarray(start, end)
  if (!isBinary && !isUtf8(message)) {
    unmask(chunk, start, end)
    return false
  }
  socket.emit('message', message, isBinary)
  return true
}

/** Combines the payload with the masking key before it, in place (RFC 6455, 5.3). */
function unmask(chunk: Buffer, start: number, end: number): void {
  const a = chunk[start - 4]!
  const b = chunk[start - 3]!
  const c = chunk[start - 2]!
  const d = chunk[start - 1]!
  let at = start
  for (const whole = end - ((end - start) & 3); at < whole; at += 4) {
    chunk[at]! ^= a
    chunk[at + 1]! ^= b
    chunk[at + 2]! ^= c
    chunk[at + 3]! ^= d
  }
  if (at < end) chunk[at]! ^= a
  if (at + 1 < end) chunk[at + 1]! ^= b
  if (at + 2 < end) chunk[at + 2]! ^= c
}
