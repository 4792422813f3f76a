import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jambonzMedia, mediaMessage } from '../../../../src/bridges/phone/jambonz/dialect.ts'

const media = jambonzMedia(16_000)
const parse = (message: object) => media.parse(Buffer.from(JSON.stringify(message)), false)

describe('the messages of listen', () => {
  it('start with the call, its format and the metadata', () => {
    const first = { sampleRate: 16000, mixType: 'mono', callSid: 'c-1', from: '+1', token: 'secret' }
    expect(parse(first)).toMatchObject({
      ...{ kind: 'start', callId: 'c-1', codec: 'l16', rate: 16_000, channels: 1 },
      parameters: { token: 'secret', from: '+1' },
    })
    expect(parse({ ...first, mixType: 'stereo' })).toMatchObject({ channels: 2 })
    expect(parse({ ...first, callSid: '../../..' })).toEqual({ kind: 'invalid', fault: 'start' })
  })

  it('have keys and marks', () => {
    expect(parse({ event: 'dtmf', dtmf: '#', duration: '1600' })).toMatchObject({ kind: 'dtmf', digit: '#' })
    expect(parse({ event: 'dtmf', dtmf: '12' })).toEqual({ kind: 'invalid', fault: 'dtmf' })
    const mark = (data: object) => parse({ type: 'mark', data })
    expect(mark({ name: 'g0:a', event: 'playout' })).toMatchObject({ kind: 'mark', name: 'g0:a' })
    expect(mark({ event: 'playout' })).toEqual({ kind: 'invalid', fault: 'mark' })
    expect(parse({ type: 'playDone', data: {} })).toEqual({ kind: 'unknown' })
  })

  it('have audio in whole samples', () => {
    expect(media.parse(Buffer.alloc(640), true)).toMatchObject({ kind: 'media', payload: Buffer.alloc(640) })
    expect(media.parse(Buffer.alloc(641), true)).toEqual({ kind: 'invalid', fault: 'media' })
  })
})

describe('audio for jambonz', () => {
  it('has no sample that is read as a mark, and is otherwise unchanged', () => {
    fc.assert(
      fc.property(fc.int16Array({ minLength: 1, maxLength: 400 }), pcm => {
        const sent = mediaMessage(Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength))
        for (const [at, sample] of pcm.entries())
          expect(sent.readInt16LE(at * 2)).toBe(sample === -1 ? -2 : sample)
      }),
    )
  })

  it('is followed by silence before a mark, once', () => {
    const messages = media.messages({ kind: 'start' } as never)
    expect(messages.padding?.()).toBeUndefined()
    messages.media(Buffer.alloc(640))
    expect(messages.padding?.()).toHaveLength(160 * 32)
    expect(messages.padding?.()).toBeUndefined()
    messages.media(Buffer.alloc(640))
    expect(messages.padding?.()).toHaveLength(80 * 32)
    messages.media(Buffer.alloc(640))
    messages.clear()
    expect(messages.padding?.()).toBeUndefined()
  })
})
