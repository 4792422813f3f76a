import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { silence, tones } from '../../../src/simulator/service/scripted-answers.ts'
import { bytesOf } from '../../../src/transcode/pcm.ts'
import { collected, failureOf, kept, scripted } from '../../support/service/client-helpers.ts'
import { quiet, sine } from '../../support/transcode/tone.ts'

const STS = { languageIdSource: 'en-us', languageIdTarget: 'es-es' }
const FRAGMENT = bytesOf(new Int16Array(960))

describe('speech', () => {
  test('/sts: bytes in every form, results, whole utterances, the end as a value', async () => {
    const { service, client } = await scripted({ record: 'audio' })
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
    expect(await session.finish()).toEqual({ kind: 'finished' })
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
    const session = kept(
      await client.openSession('/sts', { ...STS, receiveAudio: { mode: 'streaming' } }, { tailMs: 0 }),
    )
    await session.send(bytesOf(sine(440, 960)))
    await session.finish()
    const events = await collected(session.events())
    const pieces = events.flatMap(event => (event.kind === 'result' && event.final ? [event.audio!] : []))
    expect(pieces.length).toBeGreaterThan(3)
    expect(events.at(-1)).toEqual({ kind: 'endSynth', utterance: '1' })
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

  test('a slow reader slows down the service and loses nothing', async () => {
    const { service, client } = await scripted({ answer: silence })
    const session = kept(await client.openSession('/sts', STS, { maxUnread: 8, tailMs: 0, quietMs: 1_000 }))
    const big = new Uint8Array(200_000)
    for (let n = 0; n < 200; n++) service.session?.say({ text: `${n}`, audio: big })
    await sleep(100)
    const texts: string[] = []
    const reading = (async () => {
      for await (const result of session) texts.push(result.text ?? '')
    })()
    await sleep(0)
    // Not all of the 40 MB can have arrived, because they were not read.
    expect(texts.length).toBeLessThan(100)
    await session.finish()
    await reading
    expect(texts).toEqual(Array.from({ length: 200 }, (_, n) => `${n}`))
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
    const done = session.finish()
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
    await session.finish()
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

describe('back-pressure', () => {
  test('sends at most one window of fragments ahead', async () => {
    const { service, client } = await scripted({ answer: silence, faults: { ackAfterMs: 20 } })
    const session = kept(await client.openSession('/stt', { languageIdSource: 'en-us' }, { window: 4 }))
    let sent = 0
    const sending = (async () => {
      for (; sent < 20; sent++) await session.send(FRAGMENT)
    })()
    await sleep(10)
    expect(sent).toBeLessThanOrEqual(4)
    await sending
    expect(service.session?.fragments).toBeGreaterThanOrEqual(19)
  })

  test('a rejected fragment is an error with the reason of the service, and the session continues', async () => {
    const { service, client } = await scripted({ answer: silence, faults: { nack: 1 } })
    const session = kept(await client.openSession('/stt', { languageIdSource: 'en-us' }, { window: 1 }))
    expect(await failureOf(session.send(FRAGMENT))).toMatchObject({
      code: 'refused',
      error: 'not_taken',
      sent: 1,
      by: 'client',
    })
    await session.send(FRAGMENT)
    service.faults.nack = 1
    service.session?.error({ code: 'limit', error: 'backlog_full', description: 'later' })
    const refused = await failureOf(session.send(FRAGMENT))
    expect(refused).toMatchObject({ code: 'limit', error: 'backlog_full', description: 'later', sent: 3 })
    expect(refused).toMatchObject({ retryable: true, by: 'service' })
    await session.send(FRAGMENT)
  })

  test('only false and errors reject audio and text; an empty acknowledgment, words and objects accept them', async () => {
    const { service, client } = await scripted({ answer: silence })
    const audio = kept(await client.openSession('/stt', { languageIdSource: 'en-us' }, { window: 1 }))
    const text = kept(await client.openSession('/translator', STS, { window: 1 }))
    for (const ackWith of [
      [],
      ['true'],
      ['ok'],
      [0],
      [null],
      [null, true],
      [{ ok: true }],
      [{ code: 'ok' }],
    ]) {
      service.faults.ackWith = ackWith
      await audio.send(FRAGMENT)
      await text.send('a')
    }
    for (const ackWith of [[false], [null, false], [{ success: false }]]) {
      service.faults.ackWith = ackWith
      expect(await failureOf(audio.send(FRAGMENT))).toMatchObject({ error: 'not_taken' })
      expect(await failureOf(text.send('a'))).toMatchObject({ error: 'not_taken' })
    }
    const error = { code: 'limit', error: 'backlog_full', description: 'later' }
    service.faults.ackWith = [error]
    expect(await failureOf(audio.send(FRAGMENT))).toMatchObject(error)
    expect(await failureOf(text.send('a'))).toMatchObject(error)
  })

  test('a rejection after a settled send is reported by the next one, or by finish', async () => {
    const { service, client } = await scripted({ answer: silence, faults: { nack: 1 } })
    const session = kept(await client.openSession('/stt', { languageIdSource: 'en-us' }))
    await session.send(FRAGMENT)
    await expect.poll(() => service.session?.arrived).toBe(1)
    await sleep(10)
    expect(await failureOf(session.send(FRAGMENT))).toMatchObject({ error: 'not_taken', sent: 1 })
    service.faults.nack = Number.POSITIVE_INFINITY
    expect(await failureOf(session.finish())).toMatchObject({ error: 'not_taken' })
    expect(await session.ended).toEqual({ kind: 'closed' })
  })

  test('limits sends that are not awaited', async () => {
    const { client } = await scripted({ answer: silence, faults: { noAck: true } })
    const options = { window: 2, maxWaiting: 3, ackMs: 50 }
    const session = kept(await client.openSession('/translator', STS, options))
    const sends = await Promise.allSettled(Array.from({ length: 8 }, () => session.send('text')))
    const reasons = sends.map(each => (each.status === 'rejected' ? each.reason.error : 'sent'))
    expect(reasons.slice(0, 1)).toEqual(['sent'])
    expect(reasons.slice(5)).toEqual(['too_many_waiting', 'too_many_waiting', 'too_many_waiting'])
    expect(await session.ended).toMatchObject({ kind: 'failed', error: { error: 'no_acknowledgment' } })
  })
})

describe('faults', () => {
  test('opening fails: wrong key, wrong parameters, no start, no server, aborted', async () => {
    const { service, client } = await scripted({}, { startMs: 400, connectMs: 5_000 })
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
    expect(await failureOf(client.openSession('/sts', STS))).toMatchObject({
      code: 'timeout',
      error: 'no_start',
      retryable: true,
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
    expect(await session.finish()).toMatchObject({ kind: 'failed' })
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
