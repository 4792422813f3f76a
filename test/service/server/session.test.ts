import { Manager } from 'socket.io-client'
import { expect, test } from 'vitest'
import type { StsResult } from '../../../src/service/contract.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'
import { query, RECEIVE } from '../../support/service/test-client.ts'

const STREAMING = { receiveAudio: { ...RECEIVE, mode: 'streaming' } }

/** A summary of a session’s events: `result 1 text…` and so on. */
function story(client: { heard: readonly { name: string; payload: unknown }[] }): string[] {
  return client.heard.map(({ name, payload }) => {
    const { id, final, text, file } = (payload ?? {}) as Partial<StsResult>
    if (name === 'result') return `${final ? 'final' : 'partial'} ${id} ${text}${file ? ' +mp3' : ''}`
    return name === 'endSynth' ? `endSynth ${id}` : name
  })
}

const BY_UTTERANCE = { simultaneous: { mode: 'utterance' } } as const

test('connected echoes the effective parameters, with defaults', async () => {
  const { ready } = await fakeService()
  const { client } = await ready('/sts', { sendAudio: undefined, receiveAudio: undefined })
  expect(story(client)).toEqual(['connect', 'connected', 'start'])
  expect(client.payloads('connected')).toEqual([
    {
      languageIdSource: 'en-us',
      languageIdTarget: 'es-es',
      sendAudio: { broadcastVia: 'chunk', codec: 'linear16', sampleRate: 16_000 },
      receiveAudio: { obtainVia: 'chunk', codec: 'mp3', sampleRate: 16_000, mode: 'block' },
      partials: false,
    },
  ])
  expect(client.payloads('start')).toEqual([true])
})

test('utterances that complete together are sent one after the other, each with its end', async () => {
  const { ready } = await fakeService()
  for (const parameters of [{}, STREAMING]) {
    const { client, stream } = await ready('/sts', parameters)
    stream.hear('one two three')
    stream.hear('four')
    stream.hear('five six')
    await client.until('endSynth', 3)
    const told = story(client).slice(3)
    const compact = told.filter((line, index) => line !== told[index - 1])
    expect(compact).toEqual([
      'final 1 one two three +mp3',
      'endSynth 1',
      'final 2 four +mp3',
      'endSynth 2',
      'final 3 five six +mp3',
      'endSynth 3',
    ])
  }
})

test('a partial waits while an utterance is being sent; only the newest is sent', async () => {
  const { ready } = await fakeService(BY_UTTERANCE)
  const { client, stream } = await ready('/sts', STREAMING)
  stream.guess('wo')
  stream.hear('one')
  stream.guess('tw')
  stream.guess('two')
  await client.until('endSynth')
  await client.until('result', 4)
  const told = story(client).slice(3)
  expect(told[0]).toBe('partial 1 wo')
  expect(told.at(-2)).toBe('endSynth 1')
  expect(told.at(-1)).toBe('partial 2 two')
})

test('a final without text withdraws its partials, and is ended like any other', async () => {
  const { ready } = await fakeService(BY_UTTERANCE)
  const { client, stream } = await ready('/sts', STREAMING)
  stream.guess('uh')
  stream.hear('')
  await client.until('endSynth')
  expect(story(client).slice(3)).toEqual(['partial 1 uh', 'final 1 ', 'endSynth 1'])
  const silent = await ready('/sts')
  silent.stream.hear('')
  silent.stream.hear('one')
  await silent.client.until('endSynth')
  expect(story(silent.client).slice(3)).toEqual(['final 2 one +mp3', 'endSynth 2'])
})

test.each([
  ['fail', 'translation_failed', undefined],
  ['mute', 'synthesis_failed', 'MUTE'],
  ['one stop', 'synthesis_failed', 'ONE STOP'],
])(
  '"%s" that breaks an engine is reported, ended, and the next utterance is whole',
  async (text, error, translation) => {
    const { ready } = await fakeService()
    for (const parameters of [{}, STREAMING]) {
      const { client, stream } = await ready('/sts', parameters)
      stream.hear(text)
      stream.hear('good')
      await client.until('endSynth', 2)
      expect(client.payloads('error')).toMatchObject([{ code: 'engine_failed', error }])
      const told = story(client)
      expect(told[told.indexOf('endSynth 1') - 1]).toBe(`final 1 ${text}`)
      const last = client.payloads<StsResult>('result').findLast(({ id }) => id === '1')
      expect(last?.translation).toBe(translation)
      expect(told.slice(-2)).toEqual(['final 2 good +mp3', 'endSynth 2'])
    }
  },
)

test.each(['/stt', '/sts'] as const)('%s names the language that an engine detected', async namespace => {
  const { ready } = await fakeService()
  const { client, stream } = await ready(namespace)
  stream.hear('one', 'de-de')
  stream.hear('two')
  await client.until('result', 2)
  const [detected, undetected] = client.payloads<StsResult>('result')
  expect(detected).toMatchObject({ languageIdSource: 'en-us', languageIdHeard: 'de-de' })
  expect(undetected).not.toHaveProperty('languageIdHeard')
})

test('sends an empty translation without speech', async () => {
  const { ready } = await fakeService()
  const { client, stream } = await ready('/sts')
  stream.hear('nothing')
  await client.until('endSynth')
  expect(story(client).slice(3)).toEqual(['final 1 nothing', 'endSynth 1'])
})

test('a client that leaves during a sentence frees the recognizer, and affects no other', async () => {
  const { ready, service } = await fakeService({ maxSessions: 2 })
  const other = await ready('/sts')
  const leaving = await ready('/sts', STREAMING)
  leaving.stream.hear('one two three four five six seven')
  await leaving.client.until('result')
  leaving.client.close()
  await expect.poll(() => leaving.stream.closed).toBe(true)
  other.stream.hear('one')
  await other.client.until('endSynth')
  expect(service.io.of('/sts').sockets.size).toBe(1)
})

test('reports a recognizer that does not start', async () => {
  const { connect, engines } = await fakeService()
  engines.recognizer.refuses = true
  const client = connect('/stt')
  expect(await client.error()).toMatchObject({ error: 'transcription_failed' })
  await client.until('disconnect')
  expect(client.names).not.toContain('start')
})

test('two namespaces on one connection: the end of one is not the end of the other', async () => {
  const { url, engines } = await fakeService({ maxBadFragments: 2 })
  const manager = new Manager(url, { transports: ['websocket'], query: query(), reconnection: false })
  const options = { auth: { token: KEY } }
  const [stt, sts] = [manager.socket('/stt', options), manager.socket('/sts', options)]
  await Promise.all([stt, sts].map(socket => new Promise(resolve => socket.once('start', resolve))))
  const gone = new Promise(resolve => stt.once('disconnect', resolve))
  stt.emit('write_stream', 'bad')
  stt.emit('write_stream', 'bad')
  expect(await gone).toBe('io server disconnect')
  const ended = new Promise(resolve => sts.once('endSynth', resolve))
  for (const stream of engines.recognizer.streams) stream.hear('one')
  expect(await ended).toMatchObject({ id: '1' })
  sts.disconnect()
})

test('passes fragments on unchanged, with any content', async () => {
  const { ready } = await fakeService()
  const { client, stream } = await ready('/stt')
  const samples = new Int16Array(960)
  const acks = [
    await client.send(samples.buffer),
    await client.send(new Uint8Array(samples.buffer)),
    await client.send(Buffer.from(samples.buffer)),
    await client.send(samples),
    await client.send(Buffer.alloc(0)),
  ]
  expect(acks).toEqual([true, true, true, true, true])
  expect(stream.samples).toBe(4 * 960)
  client.socket.emit('write_stream', Buffer.alloc(2))
  await client.send(Buffer.alloc(2))
  expect(stream.samples).toBe(4 * 960 + 2)
})

test('logs the lifetime of a session, without speech or the key', async () => {
  const lines: string[] = []
  const line = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log = { debug: line, info: line, warn: line, error: line }
  const { ready, connect } = await fakeService({}, { log })
  const { client, stream } = await ready('/sts', STREAMING)
  stream.guess('secret')
  stream.hear('secret plans fail')
  stream.hear('secret stop')
  await client.until('endSynth', 2)
  await client.send('secret')
  await connect('/sts', {}, `${KEY}-almost`).until('connect_error')
  client.close()
  await expect.poll(() => lines.some(each => each.startsWith('session ended'))).toBe(true)
  for (const message of ['session ready', 'session error', 'connection rejected', 'session ended'])
    expect(
      lines.some(each => each.startsWith(message)),
      message,
    ).toBe(true)
  expect(lines.join('\n').toLowerCase()).not.toContain('secret')
  expect(lines.join('\n')).not.toContain(KEY)
})
