import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { silence, tones } from '../../../simulator/service/scripted-answers.ts'
import { ServiceClientError } from '../../../src/service/client/errors.ts'
import type { ServiceSession, SessionInput } from '../../../src/service/client/session.ts'
import { bytesOf } from '../../../src/transcode/pcm.ts'
import { collected, failureOf, kept, QUICK, scripted } from '../../support/service/client-helpers.ts'
import { quiet, sine } from '../../support/transcode/tone.ts'

const STS = { languageIdSource: 'en-us', languageIdTarget: 'es-es' }
const FRAGMENT = bytesOf(new Int16Array(960))

describe('speech', () => {
  test('/sts: bytes in every form, results, whole utterances, the end as a value', async () => {
    const { service, client } = await scripted({ record: true })
    const session = kept(await client.openSession('/sts', STS))
    expect(session.parameters).toMatchObject({ ...STS, receiveAudio: { mode: 'block' } })
    expect(session.start).toBe(true)
    expect(session.audio).toBeUndefined()
    const speech = new Int16Array([...sine(500, 400), ...quiet(100)])
    const bytes = bytesOf(speech)
    const quarter = bytes.length / 4
    const copy = (n: number) => bytes.slice(n * quarter, (n + 1) * quarter)
    const sends = [
      session.send(new Blob([copy(0)])),
      session.send(Buffer.from(copy(1))),
      session.send(copy(2).buffer),
      session.send(new Int16Array(copy(3).buffer)),
    ]
    await Promise.all(sends)
    const utterances = collected(session.utterances())
    expect(await session.finish(QUICK)).toEqual({ kind: 'finished' })
    expect(await session.ended).toEqual({ kind: 'finished' })
    const [utterance, more] = await utterances
    expect(more).toBeUndefined()
    expect(utterance).toMatchObject({ utterance: '1', text: 'en-us 1', translation: 'es-es 1' })
    expect(utterance?.audio?.length).toBeGreaterThan(1_000)
    expect(service.session?.pcm.slice(0, speech.length)).toEqual(speech)
    expect(service.session?.heardMs).toBe(1_500)
  })

  test('/sts streaming: pieces of one mp3, then endSynth; utterances join them', async () => {
    const { client } = await scripted({ answer: tones({ everyMs: 960 }) })
    const session = kept(await client.openSession('/sts', { ...STS, receiveAudio: { mode: 'streaming' } }))
    await session.send(bytesOf(sine(440, 960)))
    await session.finish(QUICK)
    const events = await collected(session.events())
    const pieces = events.flatMap(event => (event.kind === 'result' && event.final ? [event.audio!] : []))
    expect(pieces.length).toBeGreaterThan(3)
    const first = events.filter(event => event.kind !== 'error' && event.utterance === '1')
    expect(first.at(-1)).toEqual({ kind: 'endSynth', utterance: '1' })
  })

  test('/stt: partials; loses no result when results are read late', async () => {
    const { service, client } = await scripted({ answer: silence })
    const session = kept(await client.openSession('/stt', { languageIdSource: 'en-us', partials: true }))
    for (let n = 0; n < 50; n++) service.session?.say({ text: `said ${n}` })
    service.session?.drop('kick')
    expect(await session.ended).toMatchObject({ kind: 'failed' })
    const heard: string[] = []
    const reading = (async () => {
      for await (const result of session) heard.push(result.text ?? '')
    })()
    expect(await failureOf(reading)).toMatchObject({ code: 'unreachable', error: 'connection_lost' })
    expect(heard).toEqual(Array.from({ length: 50 }, (_, n) => `said ${n}`))
  })

  test('a slow reader loses nothing, and one that does not read ends the session', async () => {
    const { service, client } = await scripted({ answer: silence })
    const session = kept(await client.openSession('/sts', STS))
    const big = new Uint8Array(200_000)
    for (let n = 0; n < 200; n++) service.session?.say({ text: `${n}`, audio: big })
    await session.finish({ quietMs: 1_000 })
    const texts = (await collected(session)).map(({ text }) => text)
    expect(texts).toEqual(Array.from({ length: 200 }, (_, n) => `${n}`))

    const unread = kept(await client.openSession('/stt', { languageIdSource: 'en-us' }))
    for (let n = 0; n < 4_097; n++) service.session?.emit('result', { text: `${n}` })
    expect(await unread.ended).toMatchObject({ error: { code: 'limit', error: 'reader_too_slow' } })
    const read: string[] = []
    const reading = (async () => {
      for await (const { text } of unread) read.push(text ?? '')
    })()
    expect(await failureOf(reading)).toMatchObject({ error: 'reader_too_slow', retryable: false })
    expect(read).toHaveLength(4_096)
  })
})

describe('text', () => {
  test('/translator: returns a result for each text, and finish waits for the last', async () => {
    const answerText = (session: { say(saying: object): void }, text: string) => {
      setTimeout(() => session.say({ text, translation: text.toUpperCase() }), 30)
    }
    const { service, client } = await scripted({ answerText })
    const session = kept(await client.openSession('/translator', STS))
    for (const text of ['one', 'two', 'three']) await session.send(text)
    const done = session.finish(QUICK)
    const results = await collected(session)
    expect(await done).toEqual({ kind: 'finished' })
    expect(results.map(({ text, translation }) => [text, translation])).toEqual([
      ['one', 'ONE'],
      ['two', 'TWO'],
      ['three', 'THREE'],
    ])
    expect(service.session?.texts).toEqual(['one', 'two', 'three'])
  })

  test('/tts: text to mp3', async () => {
    const { client } = await scripted()
    const session = kept(await client.openSession('/tts', { languageIdTarget: 'es-es' }))
    await session.send('hola')
    await session.finish(QUICK)
    const [utterance] = await collected(session.utterances())
    expect(utterance?.audio?.length).toBeGreaterThan(500)
  })

  test('the wrong kind of input is a fault of the program', async () => {
    const { client } = await scripted()
    const text = kept(await client.openSession('/tts', { languageIdTarget: 'es-es' }))
    await expect(text.send(FRAGMENT as unknown as string)).rejects.toThrow(TypeError)
    const audio = kept(await client.openSession('/stt', { languageIdSource: 'en-us' }))
    await expect(audio.send('text' as unknown as Buffer)).rejects.toThrow('/stt takes audio')
    await expect(audio.send(new Float32Array(4))).rejects.toThrow('linear16')
    await expect(audio.send({} as unknown as Buffer)).rejects.toThrow(TypeError)
    await audio.send(FRAGMENT)
  })
})

/** Sends `input`, and more of it until the rejection of one is reported. */
async function refusalOf<N extends '/stt' | '/translator'>(
  session: ServiceSession<N>,
  input: SessionInput<N>,
) {
  for (;;) {
    const failure = await session.send(input).catch((error: unknown) => error)
    if (failure instanceof ServiceClientError) return failure
    await sleep(2)
  }
}

describe('back-pressure', () => {
  test('sends at most 16 fragments ahead', async () => {
    const { service, client } = await scripted({ answer: silence, faults: { noAck: true } })
    const session = kept(await client.openSession('/stt', { languageIdSource: 'en-us' }))
    const sends = Promise.allSettled(Array.from({ length: 20 }, () => session.send(FRAGMENT)))
    await expect.poll(() => service.session?.arrived).toBe(16)
    await sleep(20)
    expect(service.session?.arrived).toBe(16)
    await session.close()
    expect((await sends).map(({ status }) => status).indexOf('rejected')).toBe(16)
  })

  test('keeps the order of what is sent without waiting', async () => {
    const { service, client } = await scripted({
      answer: silence,
      record: true,
      faults: { ackAfterMs: 5 },
    })
    const session = kept(await client.openSession('/stt', { languageIdSource: 'en-us' }))
    const pcm = Int16Array.from({ length: 60 * 160 }, (_, n) => n)
    const pieces = Array.from({ length: 60 }, (_, n) => bytesOf(pcm.slice(n * 160, (n + 1) * 160)))
    await Promise.all(pieces.map((piece, n) => session.send(n % 3 === 0 ? new Blob([piece]) : piece)))
    await session.finish(QUICK)
    expect(service.session?.pcm.slice(0, pcm.length)).toEqual(pcm)
  })

  test('a rejected fragment is an error with the reason of the service, and the session continues', async () => {
    const { service, client } = await scripted({ answer: silence, faults: { nack: 1 } })
    const session = kept(await client.openSession('/stt', { languageIdSource: 'en-us' }))
    expect(await refusalOf(session, FRAGMENT)).toMatchObject({
      ...{ code: 'refused', error: 'not_taken', sent: 1, by: 'client' },
    })
    await session.send(FRAGMENT)
    service.faults.nack = 1
    service.session?.error({ code: 'limit', error: 'backlog_full', description: 'later' })
    expect(await refusalOf(session, FRAGMENT)).toMatchObject({
      ...{ code: 'limit', error: 'backlog_full', description: 'later', retryable: true, by: 'service' },
    })
    await session.send(FRAGMENT)
  })

  test.each([
    [[]],
    [['true']],
    [['ok']],
    [[0]],
    [[null]],
    [[null, true]],
    [[{ ok: true }]],
    [[{ code: 'ok' }]],
  ])('acknowledged with %j, audio and text are accepted', async ackWith => {
    const { client } = await scripted({ answer: silence, faults: { ackWith } })
    const audio = kept(await client.openSession('/stt', { languageIdSource: 'en-us' }))
    const text = kept(await client.openSession('/translator', STS))
    await audio.send(FRAGMENT)
    expect(await audio.finish(QUICK)).toEqual({ kind: 'finished' })
    await text.send('a')
    await sleep(20)
    await text.send('b')
  })

  const later = { code: 'limit', error: 'backlog_full', description: 'later' }
  test.each([
    [[false], { error: 'not_taken' }],
    [[null, false], { error: 'not_taken' }],
    [[{ success: false }], { error: 'not_taken' }],
    [[later], later],
  ])('acknowledged with %j, audio and text are rejected', async (ackWith, failure) => {
    const { client } = await scripted({ answer: silence, faults: { ackWith } })
    const audio = kept(await client.openSession('/stt', { languageIdSource: 'en-us' }))
    const text = kept(await client.openSession('/translator', STS))
    expect(await refusalOf(audio, FRAGMENT)).toMatchObject(failure)
    expect(await refusalOf(text, 'a')).toMatchObject(failure)
  })

  test('a rejection after a settled send is reported by the next one, or by finish', async () => {
    const { service, client } = await scripted({ answer: silence, faults: { nack: 1 } })
    const session = kept(await client.openSession('/stt', { languageIdSource: 'en-us' }))
    await session.send(FRAGMENT)
    await expect.poll(() => service.session?.arrived).toBe(1)
    await sleep(10)
    expect(await failureOf(session.send(FRAGMENT))).toMatchObject({ error: 'not_taken', sent: 1 })
    service.faults.nack = Number.POSITIVE_INFINITY
    expect(await failureOf(session.finish(QUICK))).toMatchObject({ error: 'not_taken' })
    expect(await session.ended).toEqual({ kind: 'closed' })
  })

  test('limits sends that are not awaited, and waits for acknowledgments for a limited time', async () => {
    const clock = new FakeClock()
    const { service, client } = await scripted({ answer: silence, faults: { noAck: true } }, {}, clock)
    const session = kept(await client.openSession('/translator', STS))
    const sends = Promise.allSettled(Array.from({ length: 300 }, () => session.send('text')))
    await expect.poll(() => service.session?.texts.length).toBe(16)
    clock.advance(10_000)
    const errors = (await sends).map(each => (each.status === 'rejected' ? each.reason.error : 'sent'))
    expect(
      Object.fromEntries([...Map.groupBy(errors, each => each)].map(([name, all]) => [name, all.length])),
    ).toEqual({
      ...{ sent: 16, no_acknowledgment: 240, too_many_waiting: 44 },
    })
    expect(await session.ended).toMatchObject({ kind: 'failed', error: { error: 'no_acknowledgment' } })
    expect(clock.pending).toBe(0)
  })
})

describe('faults', () => {
  test('opening fails: wrong key, wrong parameters, no server, aborted', async () => {
    const { service, client } = await scripted()
    service.next({ refuseKey: true })
    expect(await failureOf(client.openSession('/sts', STS))).toMatchObject({
      code: 'unauthorized',
      retryable: false,
      by: 'service',
    })
    expect(await failureOf(client.openSession('/stt', { languageIdSource: 'english' }))).toMatchObject({
      code: 'bad_parameter',
      error: 'language_malformed',
    })
    service.next({ noStart: true })
    const signal = AbortSignal.timeout(20)
    expect(await failureOf(client.openSession('/sts', STS, { signal }))).toMatchObject({ error: 'aborted' })
    await service.stop()
    expect(await failureOf(client.openSession('/sts', STS))).toMatchObject({
      code: 'unreachable',
      retryable: true,
    })
  })

  test('of the running session: errors about data are events; the connection can break', async () => {
    const { service, client } = await scripted({ answer: silence })
    const session = kept(await client.openSession('/sts', STS))
    service.session?.error({ code: 'engine_failed', error: 'synthesis_failed', description: 'mute' })
    service.session?.emit('result', 'nonsense')
    service.session?.emit('result', { data: { transcript: 'x' } })
    const events = session.events()
    expect((await events.next()).value).toMatchObject({ kind: 'error', error: { error: 'synthesis_failed' } })
    expect((await events.next()).value).toMatchObject({ kind: 'result', payload: 'nonsense', final: true })
    service.session?.drop()
    expect(await session.ended).toMatchObject({ kind: 'failed' })
    expect(await failureOf(session.send(FRAGMENT))).toMatchObject({ error: 'connection_lost' })
    expect(await session.finish(QUICK)).toMatchObject({ kind: 'failed' })
  })

  test('reports the service’s last error as the reason for the disconnection', async () => {
    const { service, client } = await scripted({ answer: silence })
    const session = kept(await client.openSession('/sts', STS))
    service.session?.error({ code: 'timeout', error: 'session_idle', description: 'no data' })
    service.session?.drop('kick')
    expect(await session.ended).toMatchObject({ kind: 'failed', error: { error: 'session_idle' } })
  })

  test('closing is idempotent and ends the iteration quietly', async () => {
    const { client } = await scripted()
    const session = await client.openSession('/sts', STS)
    const reading = collected(session)
    await Promise.all([session.close(), session.close()])
    expect(await reading).toEqual([])
    expect(await session.ended).toEqual({ kind: 'closed' })
    expect(await failureOf(session.send(FRAGMENT))).toMatchObject({ error: 'session_ended' })
  })

  test('accepts fields under other names', async () => {
    const places = { translation: ['out.words'], text: ['in.words'], utterance: ['nr'] }
    const { service, client } = await scripted({ answer: silence }, { resultPaths: places })
    const session = kept(await client.openSession('/translator', STS))
    service.session?.emit('result', { nr: 7, in: { words: 'a' }, out: { words: 'b' } })
    const { value } = await session[Symbol.asyncIterator]().next()
    expect(value).toMatchObject({ utterance: '7', text: 'a', translation: 'b' })
  })
})
