import fc from 'fast-check'
import * as library from 'socket.io-parser'
import { describe, expect, test } from 'vitest'
import {
  AckDecoder,
  BinaryEvent,
  EventEncoder,
  PlainAck,
  plainAckOf,
} from '../../../../src/service/client/socket-io/packets.ts'

const argument = fc.oneof(
  fc.constantFrom<unknown>(true, 7, null, { a: [1, 2] }),
  fc.string({ maxLength: 5 }),
  fc.uint8Array({ maxLength: 4 }),
  fc.uint8Array({ maxLength: 4 }).map(bytes => Buffer.from(bytes)),
  fc.constant(new ArrayBuffer(3)),
)
const event = fc.record({
  type: fc.constantFrom(library.PacketType.EVENT, library.PacketType.ACK),
  nsp: fc.constantFrom('/', '/sts', '/stt', '/é', '/a,b'),
  id: fc.option(fc.nat(), { nil: undefined }),
  data: fc
    .tuple(
      fc.constantFrom('write_stream', 'text', 'wörd', 'a"b', '\u2028'),
      fc.array(argument, { maxLength: 3 }),
    )
    .map(([name, more]): unknown[] => [name, ...more]),
})

describe('encoder', () => {
  test('writes the same frames as the library', () => {
    fc.assert(
      fc.property(event, packet => {
        const copy = () => ({ ...packet, data: [...packet.data] }) as library.Packet
        const ours = new EventEncoder()
          .encode(copy())
          .flatMap(each => (each instanceof BinaryEvent ? [each.text, each.bytes] : [each]))
        expect(ours).toEqual(new library.Encoder().encode(copy()))
      }),
      { numRuns: 20_000 },
    )
  })

  test('passes on a call with one binary argument as one item, with the argument itself', () => {
    const bytes = new Uint8Array(3)
    const packet = { type: 2, nsp: '/sts', id: 12, data: ['write_stream', bytes] }
    const [item, ...rest] = new EventEncoder().encode(packet) as BinaryEvent[]
    expect(rest).toEqual([])
    expect(item?.text).toBe('51-/sts,12["write_stream",{"_placeholder":true,"num":0}]')
    expect(item?.bytes).toBe(bytes)
  })
})

const ITEMS = [
  ...[
    '3/sts,12[true]',
    '312[true]',
    '3[true]',
    '3/sts,[true]',
    '3/sts,1x[true]',
    '3/sts[true]',
    '3/,5[true]',
  ],
  ...['30012[true]', '3/sts,12[false]', '3/sts,12["x",[true]', '3/sts,12[true] ', '2/sts,["start",true]'],
  ...['51-/sts,["result",{"_placeholder":true,"num":0}]', '61-/sts,4[{"_placeholder":true,"num":0}]'],
  ...[
    '52-["two",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]',
    '0/sts,{"sid":"x"}',
    '1/sts,',
  ],
  ...['4/sts,{"message":"no"}', '9', '', '3/sts,1234567890123456[true]', '51-', '3/é,12[true]'],
]
const item = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ITEMS) }, fc.constant(Buffer.from([1, 2])))

describe('decoder', () => {
  test('reads the same packets and throws the same errors as the library', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), items => {
        // The transport recognizes acknowledgments before the decoder sees them.
        const recognized = items.map(each =>
          typeof each === 'string' ? (plainAckOf(Buffer.from(`4${each}`)) ?? each) : each,
        )
        expect(decoded(new AckDecoder(), recognized)).toEqual(decoded(new library.Decoder(), items))
      }),
      { numRuns: 5_000 },
    )
  })

  test('is clean again after `destroy`', () => {
    const decoder = new AckDecoder()
    decoder.add('51-/sts,["result",{"_placeholder":true,"num":0}]')
    decoder.destroy()
    expect(decoded(decoder, [new PlainAck('/sts', 3)])).toEqual([
      ['packet', { type: 3, nsp: '/sts', id: 3, data: [true] }],
    ])
  })
})

describe('an acknowledgment as bytes', () => {
  test.each([
    ['43/sts,12[true]', '/sts', 12],
    ['430[true]', '/', 0],
    ['43/é,7[true]', '/é', 7],
    ['43/sts,123456789012345[true]', '/sts', 123_456_789_012_345],
  ])('%s', (text, nsp, id) => {
    expect(plainAckOf(Buffer.from(text))).toEqual(new PlainAck(nsp, id))
  })

  test.each(['43/sts,12[false]', '43/sts,12[true]x', '42/sts,12[true]', '43/sts[true]', '43[true]', '3', ''])(
    'is not %j',
    text => {
      expect(plainAckOf(Buffer.from(text))).toBeUndefined()
    },
  )
})

/** The output of a decoder for `items`: packets and errors, in order. */
function decoded(decoder: library.Decoder, items: readonly unknown[]): unknown[] {
  const seen: unknown[] = []
  decoder.on('decoded', ({ type, nsp, id, data }) => seen.push(['packet', { type, nsp, id, data }]))
  for (const each of items)
    try {
      decoder.add(each)
    } catch (error) {
      seen.push(['error', (error as Error).message])
    }
  return seen
}
