import { expect, test } from 'vitest'
import type { StsResult } from '../../../src/service/contract.ts'
import { EngineSet } from '../../../src/service/engines/engine-set.ts'
import {
  FakeInterpreter,
  FakeRecognizer,
  FakeSynthesizer,
  FakeTranslator,
} from '../../support/engines/fake-engines.ts'
import { fakeService } from '../../support/service/fake-service.ts'
import { decoded, mp3Of } from '../../support/service/real-service.ts'
import { RECEIVE, type TestClient } from '../../support/service/test-client.ts'
import { sine } from '../../support/transcode/tone.ts'

const STREAMING = { receiveAudio: { ...RECEIVE, mode: 'streaming' } }

/** A service with a speech translator alone, or before the engines of the three parts. */
async function service({ alone = true } = {}) {
  const interpreter = new FakeInterpreter()
  const recognizer = new FakeRecognizer()
  const three = {
    speechToText: [recognizer],
    translators: [new FakeTranslator()],
    synthesizers: [new FakeSynthesizer()],
  }
  const engines = new EngineSet({ interpreters: [interpreter], ...(alone ? {} : three) })
  return { interpreter, recognizer, ...(await fakeService({}, { engines })) }
}

const said = (utterance: number, text: string, translation: string) => ({
  utterance,
  text,
  translation,
  startMs: (utterance - 1) * 1_000,
  endMs: utterance * 1_000,
})
const tone = (hz: number) => sine(hz, 200, 8_000, 24_000)

async function started(client: TestClient): Promise<void> {
  await client.until('start')
}

test('streaming: speech is sent while the text grows, the final result before endSynth', async () => {
  const { connect, interpreter } = await service()
  const client = connect('/sts', STREAMING)
  await started(client)
  const [sink] = interpreter.sinks
  sink!.partial(said(1, 'good', 'buenos'))
  for (let n = 0; n < 5; n++) sink!.audio(1, tone(700), 24_000)
  await client.until('result', 3)
  expect(client.names).not.toContain('endSynth')
  sink!.partial(said(1, 'good morning', 'buenos días'))
  for (let n = 0; n < 5; n++) sink!.audio(1, tone(700), 24_000)
  sink!.final(said(1, 'Good morning.', 'Buenos días.'))
  await client.until('endSynth')
  const results = client.payloads<StsResult>('result')
  expect(results[0]).toMatchObject({ id: '1', final: false, text: 'good', translation: 'buenos' })
  expect(results.at(-1)).toMatchObject({ id: '1', final: true, translation: 'Buenos días.' })
  const finals = results.filter(({ final }) => final)
  expect(finals.every(({ translation }) => translation === 'Buenos días.')).toBe(true)
  expect(results.filter(({ final, file }) => !final && file).length).toBeGreaterThan(0)
  const { ms, rms } = decoded(Buffer.concat(results.flatMap(({ file }) => (file ? [file.data] : []))))
  expect(ms).toBeGreaterThan(1_950)
  expect(rms).toBeGreaterThan(3_000)
})

test('block: one result with all of the speech', async () => {
  const { connect, interpreter } = await service()
  const client = connect('/sts')
  await started(client)
  const [sink] = interpreter.sinks
  sink!.partial(said(1, 'one', 'uno'))
  for (let n = 0; n < 5; n++) sink!.audio(1, tone(700), 24_000)
  sink!.final(said(1, 'One.', 'Uno.'))
  await client.until('endSynth')
  expect(client.names).toEqual(['connect', 'connected', 'start', 'result', 'endSynth'])
  expect(client.payloads('result')).toMatchObject([
    { id: '1', final: true, text: 'One.', translation: 'Uno.' },
  ])
  expect(decoded(mp3Of(client, '1')).ms).toBeGreaterThan(950)
})

test('utterances never interleave, whatever the engine sends at once', async () => {
  const { connect, interpreter } = await service()
  const client = connect('/sts', STREAMING)
  await started(client)
  const [sink] = interpreter.sinks
  for (let utterance = 1; utterance <= 4; utterance++) {
    sink!.partial(said(utterance, 'a', 'b'))
    if (utterance !== 3) sink!.audio(utterance, tone(500 + 100 * utterance), 24_000)
    sink!.final(said(utterance, 'A.', 'B.'))
  }
  await client.until('endSynth', 4)
  const events = client.heard.filter(({ name }) => name === 'result' || name === 'endSynth')
  const ids = events.map(({ payload }) => Number((payload as { id: string }).id))
  expect(ids).toEqual(ids.toSorted())
  for (const id of ['1', '2', '3', '4']) {
    const own = events.filter(({ payload }) => (payload as { id: string }).id === id)
    expect(own.at(-1)?.name).toBe('endSynth')
    expect(own.at(-2)).toMatchObject({ name: 'result', payload: { final: true } })
  }
})

test('without partial results, nothing is sent before the final one', async () => {
  const { connect, interpreter } = await service()
  const client = connect('/sts', { ...STREAMING, partials: 'false' })
  await started(client)
  const [sink] = interpreter.sinks
  sink!.partial(said(1, 'one', 'uno'))
  sink!.audio(1, tone(700), 24_000)
  await new Promise(resolve => setTimeout(resolve, 100))
  expect(client.names).not.toContain('result')
  sink!.final(said(1, 'One.', 'Uno.'))
  await client.until('endSynth')
  expect(client.payloads<StsResult>('result').every(({ final }) => final)).toBe(true)
})

test('the engines of the three parts take over when it does not start', async () => {
  const { connect, interpreter, recognizer, get } = await service({ alone: false })
  interpreter.refuses = true
  const client = connect('/sts', STREAMING)
  await started(client)
  recognizer.streams.at(-1)!.hear('hello')
  await client.until('endSynth')
  expect(client.payloads<StsResult>('result').at(-1)).toMatchObject({
    translation: 'HELLO',
    standIns: { interpretation: 'fake-ears' },
  })
  const replaced = { kind: 'interpretation', engine: 'fake-interpreter', instead: 'fake-ears', why: 'failed' }
  expect(await (await get('/health')).json()).toMatchObject({ standIns: [replaced] })
  interpreter.refuses = false
  await started(connect('/sts', STREAMING))
  expect(await (await get('/health')).json()).toMatchObject({ standIns: [] })
})

test('a requested voice decides which engines serve', async () => {
  const { connect, interpreter, recognizer } = await service({ alone: false })
  const client = connect('/sts', { ...STREAMING, voiceId: 'one' })
  await started(client)
  expect(interpreter.sinks).toHaveLength(0)
  expect(recognizer.streams).toHaveLength(1)
})

test('a failure ends the session', async () => {
  const { connect, interpreter } = await service()
  const client = connect('/sts', STREAMING)
  await started(client)
  interpreter.sinks[0]!.failed(new Error('gone'))
  expect((await client.error()).error).toBe('interpretation_failed')
  await client.until('disconnect')
})

test('the catalogue lists what it interprets', async () => {
  const { get } = await service()
  const languages = (await (await get('/api/languages')).json()) as {
    languageId: string
    translation: string[]
  }[]
  expect(languages.find(({ languageId }) => languageId === 'en-us')).toMatchObject({
    transcription: true,
    translation: ['es-es', 'fr-fr'],
  })
  expect(languages.find(({ languageId }) => languageId === 'es-es')).toMatchObject({ synthesis: true })
})
