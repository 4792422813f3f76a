import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Mp3Maker, tone } from '../../../simulator/service/scripted-answers.ts'
import { ResultReader, readResult } from '../../../src/service/client/result-reader.ts'
import { bytesOf } from '../../../src/transcode/pcm.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'

const maker = await Mp3Maker.create()
const mp3 = maker.tone(700, 300)
const read = (payload: unknown) => new ResultReader().read(payload)

describe('the voice in a result', () => {
  const int16 = tone(700, 300)
  test.each([
    ['a Buffer', { file: { data: Buffer.from(mp3) } }],
    ['an ArrayBuffer', { audio: Uint8Array.from(mp3).buffer }],
    ['a view of a part', { data: new DataView(Uint8Array.from([1, 2, ...mp3]).buffer, 2) }],
    ['what JSON makes of a Buffer', { file: JSON.parse(JSON.stringify(Buffer.from(mp3))) }],
    ['what JSON makes of a typed array', { audio: JSON.parse(JSON.stringify(Uint8Array.from(mp3))) }],
    ['a list of bytes', { data: Array.from(mp3) }],
    ['base64', { audio: Buffer.from(mp3).toString('base64') }],
    [
      'base64 in lines',
      {
        audio: Buffer.from(mp3)
          .toString('base64')
          .replace(/(.{76})/g, '$1\r\n'),
      },
    ],
    ['base64 for addresses, without filling', { audio: Buffer.from(mp3).toString('base64url') }],
    ['a data: URL', { file: { data: `data:audio/mpeg;base64,${Buffer.from(mp3).toString('base64')}` } }],
    ['under an unknown name', { reply: { sound: { bytes: Buffer.from(mp3) } } }],
    ['base64 under such a name', { reply: [{ sound: Buffer.from(mp3).toString('base64') }] }],
    ['the payload itself', Buffer.from(mp3)],
    ['JSON text', JSON.stringify({ file: { data: Buffer.from(mp3) } })],
  ])('is found as %s', (_, payload) => {
    expect(Buffer.from(read(payload).audio ?? []).equals(mp3)).toBe(true)
  })

  test('is found in another argument of the event', () => {
    expect(new ResultReader().read({ text: 'a' }, Buffer.from(mp3))).toEqual({
      text: 'a',
      audio: Buffer.from(mp3),
    })
  })

  test.each([
    ['samples', bytesOf(int16)],
    ['WAV', encodeWav(int16, 16_000)],
  ])('%s in base64, and samples as a list of numbers, are accepted as audio', (_, bytes) => {
    expect(read({ audio: Buffer.from(bytes).toString('base64') }).audio).toHaveLength(bytes.length)
    expect(Buffer.from(read({ data: Array.from(int16) }).audio!).equals(bytesOf(int16))).toBe(true)
  })

  test('accepts pieces with any start where audio was received before', () => {
    const reader = new ResultReader()
    const pieces = [mp3.subarray(0, 500), mp3.subarray(500, 530), mp3.subarray(530)]
    const heard = pieces.map(piece => reader.read({ audio: Buffer.from(piece).toString('base64') }).audio)
    expect(Buffer.concat(heard.map(each => each ?? Buffer.alloc(0))).equals(mp3)).toBe(true)
    expect(read({ audio: Buffer.from(pieces[1]!).toString('base64') }).audio).toBeUndefined()
  })

  test('never mistakes words for audio, anywhere', () => {
    const words = fc.oneof(
      fc.string({ maxLength: 400, unit: 'binary' }),
      fc.lorem({ maxCount: 60 }),
      fc.base64String({ maxLength: 60 }),
      fc.array(fc.constantFrom(...'0123456789abcdef'), { maxLength: 200 }).map(each => each.join('')),
      fc.string({ minLength: 1, maxLength: 300 }).map(text => Buffer.from(text).toString('base64')),
      fc.webUrl(),
      fc.uuid(),
      fc.constantFrom('//', '//comment', 'UklGR', 'SUQz', 'data:text/plain,hello', 'A'.repeat(300)),
    )
    const places = fc.constantFrom('audio', 'data', 'file', 'buffer', 'speech', 'text', 'anything')
    fc.assert(
      fc.property(places, words, (place, word) => {
        for (const payload of [{ [place]: word }, { file: { data: word } }, { data: { audio: word } }, word])
          expect(read(payload).audio).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })

  test('rejects lists of numbers that are not audio', () => {
    for (const list of [[1, 2, 3], Array.from({ length: 400 }, (_, n) => n * 80), [0.1, 0.2], [1, 'a'], []])
      expect(read({ data: list, words: list }).audio).toBeUndefined()
    // Levels that look like audio, in a field that is not for audio.
    expect(read({ levels: Array.from({ length: 400 }, (_, n) => n % 50) }).audio).toBeUndefined()
  })
})

describe('the words of a result', () => {
  test.each([
    [{ transcription: 'a', translation: 'b' }, 'a', 'b'],
    [{ transcription: { text: 'a', language: 'en-us' }, translation: { text: 'b' } }, 'a', 'b'],
    [{ data: { text: 'a', translated_text: 'b' } }, 'a', 'b'],
    [{ results: [{ Transcript: 'a', Translated_Text: 'b' }] }, 'a', 'b'],
    [{ transcript: 'a', text: 'b' }, 'a', 'b'],
    [{ text: 'a' }, 'a', undefined],
    ['a', 'a', undefined],
    ['{"text":"a","translation":"b"}', 'a', 'b'],
    [[{ text: 'a' }], 'a', undefined],
    [{ text: 7, translation: null }, undefined, undefined],
  ])('%j', (payload, text, translation) => {
    const result = read(payload)
    expect([result.text, result.translation]).toEqual([text, translation])
  })

  test.each([
    [{ final: false }, false],
    [{ is_final: true }, true],
    [{ isFinal: 'false' }, false],
    [{ partial: true }, false],
    [{ interim: false }, true],
    [{ type: 'partial' }, false],
    [{ status: 'final' }, true],
    [{ type: 'result' }, undefined],
    [{}, undefined],
  ])('their finality: %j', (payload, final) => {
    expect(read(payload).final).toBe(final)
    expect(readResult(payload, 'x').final).toBe(final ?? true)
  })

  test('the number of a piece does not identify an utterance', () => {
    expect(read({ sequence: 3, text: 'a' }).name).toBeUndefined()
    expect(read({ id: 3 }).name).toBe('3')
    expect(read({ id: 3, utterance_id: 'u' }).name).toBe('u')
    expect(readResult({ sequence: 3 }, 'before').utterance).toBe('before')
  })
})

test('never throws, and returns bounded results', () => {
  const names = fc.constantFrom(
    'text',
    'data',
    'audio',
    'file',
    'id',
    'final',
    'results',
    '__proto__',
    'type',
    '0',
  )
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.anything({
        withTypedArray: true,
        withDate: true,
        withBigInt: true,
        withMap: true,
        withNullPrototype: true,
      }),
      fc.dictionary(names, tie('value'), { maxKeys: 5 }),
      fc.array(tie('value'), { maxLength: 5 }),
    ),
  }))
  fc.assert(
    fc.property(fc.array(value, { maxLength: 4 }), payloads => {
      const reader = new ResultReader()
      for (const payload of payloads) {
        const { text, translation, audio, name, final } = reader.read(payload, ...payloads)
        for (const each of [text, translation]) expect(each?.length ?? 0).toBeLessThanOrEqual(4_000)
        expect(audio === undefined || audio instanceof Uint8Array).toBe(true)
        expect(name === undefined || (name.length > 0 && name.length <= 64)).toBe(true)
        expect([true, false, undefined]).toContain(final)
      }
    }),
    { numRuns: 1_000 },
  )
})
