import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { discoveryRequest, discoveryResponse } from '../../../../src/simulator/discord/voice/datagrams.ts'
import {
  ENCRYPTION_MODES,
  openPacket,
  PacketCipher,
  sealPacket,
  ssrcOf,
} from '../../../../src/simulator/discord/voice/rtp.ts'

const u32 = fc.integer({ min: 0, max: 0xffff_ffff })
const header = fc.record({ sequence: fc.integer({ min: 0, max: 0xffff }), timestamp: u32, ssrc: u32 })
const frame = fc.uint8Array({ maxLength: 1_300 })
const extension = fc.option(
  fc.array(u32, { maxLength: 8 }).map(words => Buffer.from(Uint32Array.from(words).buffer)),
  { nil: undefined },
)

describe.each(ENCRYPTION_MODES)('a packet under %s', mode => {
  const cipher = new PacketCipher(mode, Buffer.alloc(32, 1))
  const other = new PacketCipher(mode, Buffer.alloc(32, 2))

  it('opens to its content, and with no other key', () => {
    fc.assert(
      fc.property(header, frame, u32, extension, (head, opus, counter, words) => {
        const packet = sealPacket(cipher, head, opus, counter, words)
        expect(openPacket(cipher, packet)).toEqual({ payloadType: 120, ...head, frame: Buffer.from(opus) })
        expect(openPacket(other, packet)).toBeUndefined()
        expect(ssrcOf(packet)).toBe(head.ssrc)
      }),
    )
  })

  it('does not open after a single bit flip', () => {
    fc.assert(
      fc.property(header, frame, u32, extension, fc.nat(), (head, opus, counter, words, where) => {
        const packet = sealPacket(cipher, head, opus, counter, words)
        const bit = where % (packet.length * 8)
        packet[bit >> 3] = packet[bit >> 3]! ^ (1 << (bit & 7))
        expect(openPacket(cipher, packet)).toBeUndefined()
      }),
    )
  })

  it('opens with contributing sources, padding and an extension, as in RFC 3550', () => {
    const head = Buffer.from(
      'b2780001000000020000000300000004000000050000bede0001'.replace('0000bede', 'bede'),
      'hex',
    )
    const plain = Buffer.from('10ff0000' + 'aabbcc' + '000003', 'hex')
    const packet = Buffer.concat([head, cipher.seal(head, plain, 7), Buffer.of(0, 0, 0, 7)])
    expect(openPacket(cipher, packet)?.frame).toEqual(Buffer.from('aabbcc', 'hex'))
  })

  it('never throws, for any input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        expect(openPacket(cipher, Buffer.from(bytes))).toBeUndefined()
      }),
    )
  })
})

it('requires keys of 32 bytes and whole words', () => {
  expect(() => new PacketCipher(ENCRYPTION_MODES[0], Buffer.alloc(31))).toThrow('32 bytes, got 31')
  const cipher = new PacketCipher(ENCRYPTION_MODES[0], Buffer.alloc(32, 1))
  const head = { sequence: 1, timestamp: 2, ssrc: 3 }
  expect(() => sealPacket(cipher, head, Buffer.of(1), 1, Buffer.of(1, 2, 3))).toThrow('got 3 bytes')
})

describe('IP discovery', () => {
  it('has Discord’s layout', () => {
    const answer = discoveryResponse(0x01020304, '10.20.30.40', 50_000)
    expect(answer.length).toBe(74)
    expect(answer.subarray(0, 8).toString('hex')).toBe('0002004601020304')
    expect(answer.subarray(8, 20).toString('latin1')).toBe('10.20.30.40\0')
    expect(answer.readUInt16BE(72)).toBe(50_000)
  })

  it('requests with type 1 only, in exactly 74 bytes', () => {
    const request = discoveryResponse(77, '', 0)
    expect(discoveryRequest(request)).toBeUndefined()
    request.writeUInt16BE(1, 0)
    expect(discoveryRequest(request)).toBe(77)
    expect(discoveryRequest(request.subarray(1))).toBeUndefined()
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 74, maxLength: 74 }), bytes => {
        const asked = discoveryRequest(Buffer.from(bytes))
        expect(asked === undefined || Buffer.from(bytes.subarray(0, 4)).toString('hex') === '00010046').toBe(
          true,
        )
      }),
    )
  })
})
