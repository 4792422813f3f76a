import { connect } from 'node:net'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import type { ServiceErrorBody } from '../../../src/service/contract.ts'
import type { ErrorName } from '../../../src/service/server/errors.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { sine } from '../transcode/tone.ts'
import { type FakeServiceConfig, fakeService, KEY } from './fake-service.ts'
import { quickEngines } from './instant-recognizer.ts'
import { type Fields, upload } from './upload.ts'

interface Met {
  way: string
  status: number
  body: ServiceErrorBody
}

export const WAV = encodeWav(sine(440, 500, 8_000, 16_000), 16_000)
const STT = { mode: 'stt', file: WAV }
const TRANSLATOR = { mode: 'translator', languageIdSource: 'en-us', languageIdTarget: 'es-es' }

export async function met(answer: Promise<Response> | Response): Promise<Met> {
  const response = await answer
  return { way: 'http', status: response.status, body: (await response.json()) as ServiceErrorBody }
}

async function refused(fields: Fields, config: FakeServiceConfig = {}): Promise<Met> {
  const { url } = await fakeService(config, { engines: quickEngines().engines })
  return met(upload(url, fields))
}

/** A service whose recognizer never returns a result, with one job in progress. */
async function stuck(config: FakeServiceConfig = {}) {
  const clock = new FakeClock()
  const { ears, engines } = quickEngines()
  ears.mood = 'stuck'
  const { url } = await fakeService(config, { engines, clock })
  const job = met(upload(url, STT))
  while (ears.opened === 0) await new Promise(resolve => setTimeout(resolve, 5))
  return { clock, url, job, ears }
}

/** Triggers for the errors that only batch jobs have. */
export const batchFailures = {
  async not_multipart() {
    const { url } = await fakeService()
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' }
    return met(fetch(`${url}/api/batch/file`, { method: 'POST', headers, body: '{}' }))
  },
  async form_malformed() {
    const { url } = await fakeService()
    const headers = { 'x-api-key': KEY, 'content-type': 'multipart/form-data; boundary=x' }
    const body = '--x\r\nContent-Disposition: form-data; name="mode"\r\n\r\nst'
    return met(fetch(`${url}/api/batch/file`, { method: 'POST', headers, body }))
  },
  form_field_unknown: () => refused({ ...STT, langage: 'en-us' }),
  parameter_missing: () => refused({ file: WAV }),
  file_missing: () => refused({ mode: 'stt', text: 'hello' }),
  empty_file: () => refused({ mode: 'stt', file: new Uint8Array(0) }),
  format_unknown: () => refused({ mode: 'stt', file: Buffer.from('this is not audio at all') }),
  coding_not_supported: () => {
    const odd = Buffer.from(WAV)
    odd.writeUInt16LE(0x31, 20)
    return refused({ mode: 'stt', file: odd })
  },
  file_damaged: () => refused({ mode: 'stt', file: WAV.subarray(0, 30) }),
  truncated: () => refused({ mode: 'stt', file: WAV.subarray(0, 1000) }),
  too_large: () => refused(STT, { maxFileBytes: 10_000 }),
  too_long: () => refused(STT, { maxFileMs: 499 }),
  file_not_text: () => refused({ ...TRANSLATOR, file: WAV }),
  async language_not_detected() {
    const { ears, engines } = quickEngines()
    ears.says = []
    const { url } = await fakeService({}, { engines })
    return met(upload(url, STT))
  },
  async too_many_jobs() {
    const { url, clock, job } = await stuck({ maxBatchJobs: 1 })
    const answer = await met(upload(url, STT))
    clock.advance(300_000)
    await job
    return answer
  },
  async upload_too_slow() {
    const clock = new FakeClock()
    const { url, service } = await fakeService({ uploadTimeoutMs: 5_000 }, { clock })
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(
      `POST /api/batch/file HTTP/1.1\r\nHost: x\r\nx-api-key: ${KEY}\r\nContent-Length: 1000\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n`,
    )
    while (service.batch.uploads === 0) await new Promise(resolve => setTimeout(resolve, 5))
    clock.advance(5_000)
    const [bytes] = (await new Promise(resolve => socket.once('data', (...data) => resolve(data)))) as [
      Buffer,
    ]
    socket.destroy()
    const [head = '', body = ''] = bytes.toString().split('\r\n\r\n')
    return { way: 'http', status: Number(head.split(' ')[1]), body: JSON.parse(body) as ServiceErrorBody }
  },
  async job_too_long() {
    const { clock, job, ears } = await stuck({ batchTimeoutMs: 20_000 })
    clock.advance(20_000)
    const answer = await job
    if (ears.opened !== 0) throw new Error('the stream is still open')
    return answer
  },
} satisfies Partial<Record<ErrorName, () => Promise<Met>>>

/** The same triggers as on the socket; each with its expected row. */
export const sharedFailures: readonly (readonly [ErrorName, Fields])[] = [
  ['mode_not_supported', { ...STT, mode: 'sst' }],
  ['language_malformed', { ...STT, languageIdSource: 'english' }],
  ['language_unknown', { ...STT, languageIdSource: 'xx-xx' }],
  ['language_not_transcribed', { ...STT, languageIdSource: 'es-es' }],
  ['language_missing', { ...STT, mode: 'sts' }],
  ['language_missing', { mode: 'tts', text: 'hello' }],
  ['language_missing', { mode: 'translator', languageIdTarget: 'es-es', text: 'hello' }],
  ['pair_not_offered', { ...STT, mode: 'sts', languageIdTarget: 'fr-fr' }],
  ['voice_not_offered', { ...STT, mode: 'sts', languageIdTarget: 'ca-es' }],
  ['voice_not_offered', { mode: 'tts', languageIdTarget: 'es-es', text: 'HI', voiceGender: 'M' }],
  ['not_json', { ...STT, receiveAudio: '16000' }],
  ['field_unknown', { ...STT, receiveAudio: '{"rate":16000}' }],
  ['rate_not_supported', { ...STT, receiveAudio: '{"sampleRate":9000}' }],
  ['codec_not_supported', { ...STT, receiveAudio: '{"codec":"opus"}' }],
  ['value_not_allowed', { ...STT, dataEncoding: 'hex' }],
  ['translation_failed', { ...TRANSLATOR, text: 'fail' }],
  ['synthesis_failed', { mode: 'tts', languageIdTarget: 'es-es', text: 'ONE STOP' }],
  ['text_empty', { ...TRANSLATOR, text: ' \n ' }],
  ['empty_file', { ...TRANSLATOR, file: Buffer.from(' \n ') }],
  ['text_too_long', { ...TRANSLATOR, text: 'x'.repeat(20_001) }],
  ['text_too_long', { ...TRANSLATOR, text: 'x'.repeat(80_001) }],
  ['file_missing', TRANSLATOR],
  ['parameter_repeated', { ...TRANSLATOR, text: 'hello', file: Buffer.from('hello') }],
]
