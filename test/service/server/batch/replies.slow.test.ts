import { expect, test } from 'vitest'
import type { BatchResult } from '../../../../src/service/contract.ts'
import { encodeWav } from '../../../../src/transcode/wav.ts'
import { fakeService } from '../../../support/service/fake-service.ts'
import { quickEngines } from '../../../support/service/instant-recognizer.ts'
import { decoded } from '../../../support/service/real-service.ts'
import { type Fields, upload } from '../../../support/service/upload.ts'
import { sine } from '../../../support/transcode/tone.ts'

const wav = encodeWav(sine(440, 2000, 8_000, 16_000), 16_000)
const stt = { mode: 'stt', file: wav }
const sts = { mode: 'sts', languageIdSource: 'en-us', languageIdTarget: 'es-es', file: wav }
const tts = { mode: 'tts', languageIdTarget: 'es-es', text: 'ONE TWO' }

async function started(says: readonly string[] = ['hello', 'good night']) {
  const { ears, engines } = quickEngines()
  ears.says = says
  const { url } = await fakeService({}, { engines })
  return {
    ears,
    post: (fields: Fields, options = {}) => upload(url, fields, options),
    async result(fields: Fields, options = {}) {
      const response = await upload(url, fields, options)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toContain('application/json')
      return (await response.json()) as BatchResult
    },
  }
}

test('stt returns only the transcript', async () => {
  const { result } = await started()
  expect(await result(stt)).toEqual({
    languageIdSource: 'en-us',
    text: 'hello good night',
    utterances: [
      { id: '1', text: 'hello', startMs: 0, endMs: 500 },
      { id: '2', text: 'good night', startMs: 1000, endMs: 1500 },
    ],
    durationMs: 2000,
  })
})

test('sts returns text, translation and one mp3 of everything', async () => {
  const { result } = await started()
  const answer = await result(sts)
  expect(Object.keys(answer).sort()).toEqual(
    [
      'durationMs',
      'file',
      'languageIdSource',
      'languageIdTarget',
      'text',
      'translation',
      'utterances',
    ].sort(),
  )
  expect(answer).toMatchObject({ text: 'hello good night', translation: 'HELLO GOOD NIGHT' })
  expect(answer.utterances?.map(each => each.translation)).toEqual(['HELLO', 'GOOD NIGHT'])
  const { rate, ms } = decoded(Buffer.from(answer.file!.data))
  expect(rate).toBe(16_000)
  expect(ms).toBeGreaterThan(600)
})

test('sts of silence returns no text and no file', async () => {
  const { result } = await started([])
  expect(await result(sts)).toMatchObject({ text: '', translation: '', utterances: [] })
  expect(await result(sts)).not.toHaveProperty('file')
})

test.each([
  ['field', { text: 'good morning. good night.\n\nbye' }],
  ['file', { file: Buffer.from('\uFEFFgood morning. good night.\r\n\r\nbye') }],
])('translator takes text in a %s and keeps its lines', async (_place, more) => {
  const { result } = await started()
  const answer = await result({
    mode: 'translator',
    languageIdSource: 'en-us',
    languageIdTarget: 'es-es',
    ...more,
  })
  expect(answer.translation).toBe('GOOD MORNING. GOOD NIGHT.\n\nBYE')
  expect(Object.keys(answer).sort()).toEqual(['languageIdSource', 'languageIdTarget', 'text', 'translation'])
})

test('tts returns an mp3 as numbers, as base64, or alone', async () => {
  const { result, post } = await started()
  const numbers = await result(tts)
  expect(Object.keys(numbers).sort()).toEqual(['file', 'languageIdTarget'])
  expect(numbers.file).toMatchObject({ codec: 'mp3', sampleRate: 16_000, data: { type: 'Buffer' } })
  const bytes = Buffer.from(numbers.file!.data)
  const base64 = await result({ ...tts, dataEncoding: 'base64' })
  expect(base64.file).toMatchObject({ encoding: 'base64' })
  expect(Buffer.from(base64.file!.data as unknown as string, 'base64')).toEqual(bytes)
  const alone = await post(tts, { accept: 'audio/mpeg, application/json;q=0.5' })
  expect(alone.headers.get('content-type')).toBe('audio/mpeg')
  expect(Buffer.from(await alone.arrayBuffer())).toEqual(bytes)
  expect(decoded(bytes).rms).toBeGreaterThan(1000)
})

test('accepts parameters in the query, and another sample rate for the mp3', async () => {
  const { result } = await started()
  const receiveAudio = encodeURIComponent('{"sampleRate":22050}')
  const answer = await result(
    { text: 'ONE' },
    { query: `?mode=tts&languageIdSource=es-es&receiveAudio=${receiveAudio}` },
  )
  expect(answer.file?.sampleRate).toBe(22_050)
  expect(decoded(Buffer.from(answer.file!.data)).rate).toBe(22_050)
})

test('accepts a missing language if only one is available', async () => {
  const { result, ears, post } = await started()
  expect((await result(stt)).languageIdSource).toBe('en-us')
  expect((await result({ ...stt, languageIdSource: 'EN-gb' })).languageIdSource).toBe('en-gb')
  ears.languages = ['en-us', 'es-es']
  expect(await (await post(stt)).json()).toMatchObject({ code: 'bad_file', error: 'language_not_detected' })
})
