import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import type { ServiceErrorBody } from '../../../src/service/contract.ts'
import { EngineSet } from '../../../src/service/engines/engine-set.ts'
import { ERROR_TABLE, type ErrorName } from '../../../src/service/server/errors.ts'
import {
  FakeInterpreter,
  FakeRecognizer,
  FakeSynthesizer,
  FakeTranslator,
} from '../../support/engines/fake-engines.ts'
import { batchFailures } from '../../support/service/batch-failures.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'
import { keyFileWith } from '../../support/service/key-files.ts'
import { NEVER_LATE } from '../../support/service/no-lag.ts'
import { RECEIVE, SEND, type TestClient } from '../../support/service/test-client.ts'

/** Channel of the failure, and its status on HTTP. */
type Met = { way: string; body: ServiceErrorBody; status?: number }

const fragment = Buffer.alloc(1920)

/** Events at the client: an `error` and, if it follows, the disconnection. */
async function onSocket(client: TestClient, fatal: boolean): Promise<Met> {
  const body = await client.error()
  if (fatal) await client.until('disconnect')
  else expect(await client.send(fragment)).toBe(true)
  return { way: fatal ? 'error, disconnect' : 'error', body }
}

async function refused(client: TestClient): Promise<Met> {
  return { way: 'connect_error', body: await client.until<ServiceErrorBody>('connect_error') }
}

async function onHttp(answer: Promise<Response>): Promise<Met> {
  const response = await answer
  return { way: 'http', status: response.status, body: (await response.json()) as ServiceErrorBody }
}

/** A connection to `/sts` with one wrong parameter. */
async function wrong(parameters: Record<string, unknown>): Promise<Met> {
  const { connect } = await fakeService()
  const client = connect('/sts', parameters)
  const met = await onSocket(client, true)
  expect(client.names).toEqual(['connect', 'error', 'disconnect'])
  return met
}

async function without(kind: 'speechToText' | 'translators' | 'synthesizers'): Promise<Met> {
  const all = {
    speechToText: [new FakeRecognizer()],
    translators: [new FakeTranslator()],
    synthesizers: [new FakeSynthesizer()],
  }
  const { connect } = await fakeService({}, { engines: new EngineSet({ ...all, [kind]: [] }) })
  return onSocket(connect('/sts'), true)
}

/** A session in which the speaker says `text`. */
async function saying(text: string): Promise<Met> {
  const { ready } = await fakeService()
  const { client, stream } = await ready('/sts')
  stream.hear(text)
  await client.until('endSynth')
  return onSocket(client, false)
}

/** Sends a bad fragment to a valid session and returns the error. */
async function badFragment(payload: unknown, config = {}): Promise<Met> {
  const { ready } = await fakeService(config)
  const { client } = await ready('/stt')
  expect(await client.send(payload)).toBe(false)
  return onSocket(client, false)
}

/** Sends a bad text to a valid session and returns the error; a valid one is accepted afterwards. */
async function badText(payload: unknown, config = {}): Promise<Met> {
  const { ready } = await fakeService(config)
  const { client } = await ready('/translator')
  expect(await client.sendText(payload)).toBe(false)
  const body = await client.error()
  expect(await client.sendText('good')).toBe(true)
  expect(await client.until('result')).toMatchObject({ id: '1', translation: 'GOOD' })
  return { way: 'error', body }
}

/** A trigger for each row. Its type requires all of them. */
const provoke: Record<ErrorName, () => Promise<Met>> = {
  async key_missing() {
    const { get } = await fakeService()
    return onHttp(get('/api/languages', ''))
  },
  async origin_not_allowed() {
    const { url } = await fakeService()
    return onHttp(fetch(`${url}/health`, { headers: { origin: 'https://evil.example' } }))
  },
  async key_wrong() {
    const { connect } = await fakeService()
    return refused(connect('/sts', {}, 'not-the-key'))
  },
  async key_revoked() {
    const { path, file, keys } = await keyFileWith('desk')
    const { connect } = await fakeService({ apiKeys: [], keyFile: path })
    const client = connect('/stt', {}, keys[0])
    await client.until('start')
    await file.revoke('desk')
    return onSocket(client, true)
  },
  async too_many_attempts() {
    const { get } = await fakeService({ maxAttemptsPerMinute: 3 })
    for (let n = 0; n < 3; n++) expect((await get('/api/voices', `guess ${n}`)).status).toBe(401)
    return onHttp(get('/api/voices', 'guess 3'))
  },
  async namespace_unknown() {
    const { connect } = await fakeService()
    return refused(connect('/nothing'))
  },
  async too_many_sessions() {
    const { connect, ready } = await fakeService({ maxSessions: 1 })
    await ready('/stt')
    return refused(connect('/sts'))
  },
  async service_behind() {
    const { connect, ready } = await fakeService()
    const { stream } = await ready('/stt')
    stream.behindMs = NEVER_LATE.admitLagMs + 1
    return refused(connect('/sts'))
  },
  async too_many_messages() {
    const { ready } = await fakeService()
    const { client } = await ready('/stt')
    for (let n = 0; n < 4_000; n++) client.socket.emit('write_stream', Buffer.alloc(0))
    return onSocket(client, true)
  },
  async falling_behind() {
    const clock = new FakeClock()
    const { ready } = await fakeService({}, { clock })
    const { client, stream } = await ready('/stt')
    stream.behindMs = 2 * NEVER_LATE.admitLagMs + 1
    clock.advance(400)
    const met = await onSocket(client, false)
    expect(client.payloads('error')).toHaveLength(1)
    return met
  },
  async too_far_behind() {
    const clock = new FakeClock()
    const { ready } = await fakeService({}, { clock })
    const { client, stream } = await ready('/stt')
    stream.behindMs = 15 * NEVER_LATE.admitLagMs + 1
    clock.advance(200)
    return onSocket(client, true)
  },
  async key_sessions_taken() {
    const { connect, ready } = await fakeService({ apiKeys: [{ name: 'one', key: KEY, sessions: 1 }] })
    await ready('/stt')
    return refused(connect('/sts'))
  },
  async minutes_used_up() {
    const { connect, ready } = await fakeService({ apiKeys: [{ name: 'one', key: KEY, minutesPerDay: 1 }] })
    const { client } = await ready('/stt')
    for (let second = 0; second < 60; second++) expect(await client.send(Buffer.alloc(32_000))).toBe(true)
    return refused(connect('/sts'))
  },
  language_missing: () => wrong({ languageIdTarget: undefined }),
  language_malformed: () => wrong({ languageIdSource: 'english' }),
  language_unknown: () => wrong({ languageIdTarget: 'xx-xx' }),
  language_not_transcribed: () => wrong({ languageIdSource: 'es-es', languageIdTarget: 'en-us' }),
  pair_not_offered: () => wrong({ languageIdTarget: 'fr-fr' }),
  voice_not_offered: () => wrong({ languageIdTarget: 'ca-es' }),
  grammar_unknown: () => wrong({ grammar: 'chess' }),
  not_json: () => wrong({ sendAudio: '{"sampleRate":' }),
  field_unknown: () => wrong({ sendAudio: { ...SEND, samplerate: 8000 } }),
  broadcast_not_supported: () => wrong({ sendAudio: { ...SEND, broadcastVia: 'stream' } }),
  obtain_not_supported: () => wrong({ receiveAudio: { ...RECEIVE, obtainVia: 'carrier pigeon' } }),
  codec_not_supported: () => wrong({ receiveAudio: { ...RECEIVE, codec: 'opus' } }),
  rate_not_supported: () => wrong({ sendAudio: { ...SEND, sampleRate: 9000 } }),
  mode_not_supported: () => wrong({ receiveAudio: { ...RECEIVE, mode: 'blocks' } }),
  value_not_allowed: () => wrong({ partials: 'perhaps' }),
  parameter_unknown: () => wrong({ voiceengine: 'neural' }),
  async parameter_repeated() {
    const { get } = await fakeService()
    return onHttp(get('/api/voices?language=es-es&language=ca-es'))
  },
  transcription_missing: () => without('speechToText'),
  translation_missing: () => without('translators'),
  synthesis_missing: () => without('synthesizers'),
  async transcription_failed() {
    const { ready } = await fakeService()
    const { client, stream } = await ready('/stt')
    stream.sink.failed(new Error('ears fell off'))
    return onSocket(client, true)
  },
  async interpretation_failed() {
    const interpreter = new FakeInterpreter()
    interpreter.refuses = true
    const { connect } = await fakeService({}, { engines: new EngineSet({ interpreters: [interpreter] }) })
    return onSocket(connect('/sts'), true)
  },
  translation_failed: () => saying('fail'),
  synthesis_failed: () => saying('mute'),
  async before_start() {
    const { connect, engines } = await fakeService()
    const { promise, resolve } = Promise.withResolvers<void>()
    engines.recognizer.gate = promise
    const client = connect('/stt')
    await client.until('connected')
    expect(await client.send(fragment)).toBe(false)
    resolve()
    await client.until('start')
    expect(engines.recognizer.streams[0]?.samples).toBe(0)
    return onSocket(client, false)
  },
  async event_not_taken() {
    const { ready } = await fakeService()
    const { client } = await ready('/stt')
    const ack = await new Promise(resolve => client.socket.emit('text', 'hello', resolve))
    expect(ack).toBe(false)
    return onSocket(client, false)
  },
  async too_many_payloads() {
    const { ready } = await fakeService()
    const { client } = await ready('/stt')
    const ack = await new Promise(resolve => client.socket.emit('write_stream', fragment, fragment, resolve))
    expect(ack).toBe(false)
    return onSocket(client, false)
  },
  async packet_malformed() {
    const { ready } = await fakeService()
    const { client } = await ready('/stt')
    client.socket.io.engine.write('2/stt,[')
    return onSocket(client, true)
  },
  not_binary: () => badFragment('hello'),
  odd_byte_count: () => badFragment(Buffer.alloc(641)),
  not_text: () => badText(Buffer.from('hello')),
  text_empty: () => badText(' \n\u200b'),
  text_too_long: () => badText('x'.repeat(11), { maxTextLength: 10 }),
  fragment_too_large: () => badFragment(Buffer.alloc(2002), { maxFragmentBytes: 2000 }),
  async backlog_full() {
    const { ready } = await fakeService({ maxBacklogMs: 1000 })
    const { client, stream } = await ready('/stt')
    stream.queuedMs = 980
    for (let n = 0; n < 60; n++) expect(await client.send(fragment)).toBe(false)
    expect(client.payloads('error')).toHaveLength(1)
    stream.queuedMs = 0
    return onSocket(client, false)
  },
  async too_many_bad_fragments() {
    const { ready } = await fakeService({ maxBadFragments: 3 })
    const { client } = await ready('/stt')
    for (let n = 0; n < 3; n++) client.socket.emit('write_stream', 'bad')
    const body = await client.until<ServiceErrorBody>('error', 4)
    await client.until('disconnect')
    return { way: 'error, disconnect', body }
  },
  async reader_too_slow() {
    const { ready } = await fakeService({ maxUnreadBytes: 1000 })
    const { client, stream } = await ready('/stt')
    for (let n = 0; n < 4; n++) stream.hear('all in one go')
    return onSocket(client, true)
  },
  async session_idle() {
    const clock = new FakeClock()
    const { ready } = await fakeService({ idleTimeoutMs: 5000 }, { clock })
    const { client } = await ready('/stt')
    clock.advance(4000)
    await client.send(fragment)
    clock.advance(4000)
    expect(client.names).not.toContain('error')
    clock.advance(1000)
    return onSocket(client, true)
  },
  async stream_not_read() {
    const { ready } = await fakeService({ maxUnreadBytes: 2000 })
    const { client } = await ready('/tts', { receiveAudio: { ...RECEIVE, obtainVia: 'stream' } })
    expect(await client.sendText('one two three four five')).toBe(true)
    await client.until('endSynth')
    const body = await client.error()
    expect(await client.sendText('six')).toBe(true)
    await client.until('endSynth', 2)
    expect(client.payloads('error')).toHaveLength(1)
    return { way: 'error', body }
  },
  async stream_unknown() {
    const { get } = await fakeService()
    return onHttp(get(`/stream/${'x'.repeat(43)}.mp3`, ''))
  },
  async path_unknown() {
    const { get } = await fakeService()
    return onHttp(get('/api/nothing'))
  },
  async request_malformed() {
    const { url } = await fakeService()
    return onHttp(fetch(`${url}/health/%E0%A4%A`))
  },
  ...batchFailures,
  async unexpected() {
    const { connect, engines } = await fakeService()
    engines.set.recognizer = () => {
      throw new Error('a fault of ours')
    }
    return onSocket(connect('/stt'), true)
  },
}

test.each(Object.keys(provoke) as ErrorName[])('%s occurs and is reported as in the table', async name => {
  const met = await provoke[name]()
  const row = ERROR_TABLE[name]
  expect(met.body).toEqual({ code: row.code, error: name, description: expect.stringMatching(/.{15,}/) })
  if (met.way === 'http') expect(met.status).toBe(row.status)
  else expect(met.way).toBe(row.socket)
})
