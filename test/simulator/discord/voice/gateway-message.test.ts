import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readBinary, readText } from '../../../../src/simulator/discord/voice/gateway-message.ts'

describe('a message of the voice gateway', () => {
  it.each([
    [
      {
        op: 0,
        d: { server_id: '1', user_id: '2', session_id: 's', token: 't', max_dave_protocol_version: 1 },
      },
      { kind: 'identify', guildId: '1', userId: '2', sessionId: 's', token: 't', daveVersion: 1 },
    ],
    [
      { op: 0, d: { server_id: '1', user_id: '2', session_id: 's', token: 't', video: true } },
      { kind: 'identify', guildId: '1', userId: '2', sessionId: 's', token: 't', daveVersion: 0 },
    ],
    [
      { op: 1, d: { protocol: 'udp', data: { address: '1.2.3.4', port: 5, mode: 'm' } } },
      { kind: 'select', protocol: 'udp', address: '1.2.3.4', port: 5, mode: 'm' },
    ],
    [
      { op: 3, d: { t: 9, seq_ack: 4 } },
      { kind: 'heartbeat', nonce: 9, seqAck: 4 },
    ],
    [
      { op: 3, d: { t: 9 } },
      { kind: 'heartbeat', nonce: 9, seqAck: -1 },
    ],
    [
      { op: 5, d: { speaking: 5, delay: 0, ssrc: 7 } },
      { kind: 'speaking', flags: 5, ssrc: 7 },
    ],
    [
      { op: 7, d: { server_id: '1', session_id: 's', token: 't', seq_ack: 3 } },
      { kind: 'resume', guildId: '1', sessionId: 's', token: 't', seqAck: 3 },
    ],
    [
      { op: 23, d: { transition_id: 8 } },
      { kind: 'transition-ready', transitionId: 8 },
    ],
    [
      { op: 31, d: { transition_id: 0 } },
      { kind: 'invalid-commit', transitionId: 0 },
    ],
  ])('%o is read', (message, expected) => expect(readText(JSON.stringify(message))).toEqual(expected))

  it.each([
    [Buffer.of(26, 1, 2), { kind: 'key-package', bytes: Buffer.of(1, 2) }],
    [Buffer.of(28), { kind: 'commit-welcome', bytes: Buffer.of() }],
  ])('%o is read', (message, expected) => expect(readBinary(message)).toEqual(expected))

  it('is valid or rejected, for any input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), message => {
        expect(readText(message)).toMatchObject({ kind: 'wrong', code: expect.toSatisfy(isClose) })
      }),
    )
    const op = fc.integer({ min: -1, max: 40 })
    fc.assert(
      fc.property(op, fc.jsonValue(), (code, d) => {
        const read = readText(JSON.stringify({ op: code, d }))
        expect(read.kind !== 'wrong' || isClose(read.code)).toBe(true)
      }),
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), bytes => {
        const read = readBinary(Buffer.from(bytes))
        expect(read.kind !== 'wrong' || isClose(read.code)).toBe(true)
        expect(read.kind === 'wrong').toBe(bytes[0] !== 26 && bytes[0] !== 28)
      }),
    )
  })
})

function isClose(code: number): boolean {
  return code === 4001 || code === 4002
}
