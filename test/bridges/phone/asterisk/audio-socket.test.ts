import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AudioSocketConnection } from '../../../../src/bridges/phone/asterisk/audio-socket.ts'
import { asteriskMedia, ExpectedStreams, uuidOf } from '../../../../src/bridges/phone/asterisk/dialect.ts'

/** The part of a TCP socket that a connection uses. */
class FakeTcp extends EventEmitter {
  readonly sent: Buffer[] = []
  writable = true
  destroyed = false
  ended = false
  writableLength = 0
  setNoDelay(): void {}
  setKeepAlive(): void {}
  write(data: Buffer): void {
    this.sent.push(data)
  }
  end(data: Buffer): void {
    this.ended = true
    this.sent.push(data)
  }
  destroy(): void {
    this.destroyed = true
  }
}

function connect() {
  const tcp = new FakeTcp()
  const connection = new AudioSocketConnection(tcp as unknown as Socket)
  const frames: Buffer[] = []
  const errors: string[] = []
  const codes: number[] = []
  connection.on('message', (frame: Buffer) => frames.push(Buffer.from(frame)))
  connection.on('error', (error: Error & { code?: string }) => errors.push(error.code ?? ''))
  connection.on('close', (code: number) => codes.push(code))
  return { tcp, connection, frames, errors, codes }
}

const frameOf = (type: number, payload: Uint8Array) =>
  Buffer.concat([Buffer.from([type, payload.length >> 8, payload.length & 0xff]), payload])

describe('an AudioSocket connection', () => {
  it('delivers the same frames however TCP splits them', () => {
    const frame = fc
      .tuple(fc.nat(255), fc.uint8Array({ maxLength: 700 }))
      .map(([type, payload]) => frameOf(type, payload))
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 8 }), fc.array(fc.nat(2_000)), (sent, cuts) => {
        const { tcp, frames } = connect()
        const bytes = Buffer.concat(sent)
        const at = [...cuts.filter(cut => cut < bytes.length), 0, bytes.length].sort((a, b) => a - b)
        for (let i = 1; i < at.length; i++) tcp.emit('data', bytes.subarray(at[i - 1], at[i]))
        expect(frames).toEqual(sent)
      }),
    )
  })

  it('is closed at a frame that is too large', () => {
    const { tcp, errors } = connect()
    tcp.emit('data', Buffer.from([0x10, 0xff, 0xff]))
    expect(errors).toEqual(['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'])
    expect(tcp.destroyed).toBe(true)
  })

  it('ends normally if Asterisk ends it, and abnormally if it breaks', () => {
    const [ended, broken] = [connect(), connect()]
    ended.tcp.emit('end')
    ended.tcp.emit('close')
    broken.tcp.emit('close')
    expect([ended.codes, broken.codes]).toEqual([[1000], [1006]])
  })

  it('hangs up with a frame', () => {
    const { tcp, connection } = connect()
    connection.close()
    expect([tcp.ended, tcp.sent]).toEqual([true, [Buffer.from([0, 0, 0])]])
  })
})

describe('AudioSocket frames', () => {
  const uuid = uuidOf('token')
  const parser = (rate: 8_000 | 16_000) => {
    const expected = new ExpectedStreams()
    expected.add(uuid, { callId: '1.1', parameters: { token: 'token' } })
    return asteriskMedia(rate, expected)
  }
  const start = frameOf(0x01, Buffer.from(uuid.replaceAll('-', ''), 'hex'))

  it('start with a UUID, which is known once', () => {
    const media = parser(8_000)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(media.parse(start, true)).toMatchObject({
      kind: 'start',
      callId: '1.1',
      parameters: { token: 'token' },
    })
    expect(media.parse(start, true)).toMatchObject({ kind: 'start', callId: uuid, parameters: {} })
  })

  it('have audio at the configured rate only', () => {
    const [narrow, wide] = [parser(8_000), parser(16_000)]
    const audio = (type: number, bytes: number) => frameOf(type, Buffer.alloc(bytes))
    expect(narrow.parse(audio(0x10, 320), true)).toMatchObject({ kind: 'media', payload: Buffer.alloc(320) })
    expect(wide.parse(audio(0x12, 640), true)).toMatchObject({ kind: 'media', payload: Buffer.alloc(640) })
    for (const wrong of [audio(0x12, 640), audio(0x10, 319)])
      expect(narrow.parse(wrong, true)).toEqual({ kind: 'invalid', fault: 'media' })
    for (const empty of [audio(0x10, 0), audio(0x12, 0)])
      expect(narrow.parse(empty, true)).toMatchObject({ kind: 'media', payload: Buffer.alloc(0) })
    expect(narrow.messages({} as never).media(Buffer.alloc(320))).toEqual(audio(0x10, 320))
    expect(wide.messages({} as never).media(Buffer.alloc(640))).toEqual(audio(0x12, 640))
  })

  it('have keys, errors and the end', () => {
    const media = parser(8_000)
    expect(media.parse(frameOf(0x03, Buffer.from('5')), true)).toMatchObject({ kind: 'dtmf', digit: '5' })
    expect(media.parse(frameOf(0x03, Buffer.from('55')), true)).toEqual({ kind: 'invalid', fault: 'dtmf' })
    expect(media.parse(frameOf(0x00, Buffer.alloc(0)), true)).toMatchObject({ kind: 'stop' })
    expect(media.parse(frameOf(0xff, Buffer.from([1])), true)).toMatchObject({ kind: 'stop' })
    expect(media.parse(frameOf(0x77, Buffer.alloc(2)), true)).toEqual({ kind: 'unknown' })
  })
})
