import { Decoder, Encoder, type Packet, PacketType } from 'socket.io-parser'

/**
 * The parser of our Socket.IO client (its `parser` option). Reads and writes exactly what socket.io-parser does, with a
 * short path for the two packets that make up nearly all traffic: an event with one binary argument and an ack id, and
 * its acknowledgment `[true]` (Socket.IO protocol 5).
 */

/** Both frames of a binary event as one item, so that the transport can send them with one write. */
export class BinaryEvent {
  /** The first frame, ASCII, without the packet type of Engine.IO. */
  readonly text: string
  /** The attachment. */
  readonly bytes: Uint8Array

  constructor(text: string, bytes: Uint8Array) {
    this.text = text
    this.bytes = bytes
  }
}

/** The acknowledgment `[true]`, in the shape of the library's packets. */
export class PlainAck {
  readonly type = PacketType.ACK
  readonly nsp: string
  readonly id: number
  readonly data: unknown[] = [true]

  constructor(nsp: string, id: number) {
    this.nsp = nsp
    this.id = id
  }
}

const NOT_PRINTABLE_ASCII = /[^ -~]/
/** Namespaces and event names are few and come from the program; more than this are not cached. */
const MOST_CACHED = 100
/** The text before the id by namespace, and after it by event; empty: the library must write it. */
const heads = new Map<string, string>()
const tails = new Map<string, string>()

/** Encodes binary events as `BinaryEvent`, which only `BinaryEventTransport` understands. */
export class EventEncoder extends Encoder {
  override encode(packet: Packet): unknown[] {
    const { data } = packet
    if (packet.type === PacketType.EVENT && packet.id !== undefined && isBinaryCall(data)) {
      const head = headOf(packet.nsp)
      const tail = tailOf(data[0])
      if (head !== '' && tail !== '') return [new BinaryEvent(head + packet.id + tail, data[1])]
    }
    return super.encode(packet)
  }
}

/** Reads acknowledgments that the transport has already recognized, and everything else like the library. */
export class AckDecoder extends Decoder {
  override add(item: unknown): void {
    // Between the frames of a binary event any text is an error, which the library reports.
    // biome-ignore lint/complexity/useLiteralKeys: private in the library's types.
    if (item instanceof PlainAck && !this['reconstructor']) this.emitReserved('decoded', item)
    else super.add(item instanceof PlainAck ? '' : item)
  }
}

function isBinaryCall(data: unknown): data is [string, Uint8Array] {
  return (
    Array.isArray(data) && data.length === 2 && typeof data[0] === 'string' && data[1] instanceof Uint8Array
  )
}

function headOf(namespace: string): string {
  let head = heads.get(namespace)
  if (head === undefined) {
    if (namespace === '/' || !namespace) head = '51-'
    else head = NOT_PRINTABLE_ASCII.test(namespace) ? '' : `51-${namespace},`
    if (heads.size < MOST_CACHED) heads.set(namespace, head)
  }
  return head
}

function tailOf(event: string): string {
  let tail = tails.get(event)
  if (tail === undefined) {
    const json = JSON.stringify(event)
    tail = NOT_PRINTABLE_ASCII.test(json) ? '' : `[${json},{"_placeholder":true,"num":0}]`
    if (tails.size < MOST_CACHED) tails.set(event, tail)
  }
  return tail
}

/** Maximum length of an id that is read here (digits); longer ones are the library's. */
const MOST_DIGITS = 15
const TRUE_END = Buffer.from('[true]')

let lastNamespace = '/'

/**
 * Reads the WebSocket message `43/nsp,12[true]` (Engine.IO message, Socket.IO ack) without building a string. Returns
 * undefined for anything else.
 */
export function plainAckOf(message: Buffer): PlainAck | undefined {
  const end = message.length - TRUE_END.length
  if (end < 3 || message[0] !== 0x34 || message[1] !== 0x33) return undefined
  for (let n = 0; n < TRUE_END.length; n++) if (message[end + n] !== TRUE_END[n]) return undefined
  let at = 2
  let namespace = '/'
  if (message[2] === 0x2f) {
    const comma = message.indexOf(0x2c, 2)
    if (comma < 0) return undefined
    namespace = namespaceOf(message, comma)
    at = comma + 1
  }
  if (end <= at || end - at > MOST_DIGITS) return undefined
  let id = 0
  for (; at < end; at++) {
    const digit = message[at]! - 0x30
    if (digit < 0 || digit > 9) return undefined
    id = id * 10 + digit
  }
  return new PlainAck(namespace, id)
}

/** The namespace between byte 2 and the comma; nearly always the previous one. */
function namespaceOf(message: Buffer, comma: number): string {
  if (comma - 2 === lastNamespace.length) {
    let n = 0
    while (n < lastNamespace.length && message[2 + n] === lastNamespace.charCodeAt(n)) n++
    if (n === lastNamespace.length) return lastNamespace
  }
  lastNamespace = message.toString('utf8', 2, comma)
  return lastNamespace
}
