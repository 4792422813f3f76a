import { io, type Socket } from 'socket.io-client'
import { afterEach, describe, expect, test } from 'vitest'
import type { StsResult } from '../../../src/service/contract.ts'
import { silence, tone, toneOf, tones } from '../../../src/simulator/service/scripted-answers.ts'
import {
  ScriptedService,
  type ScriptedServiceOptions,
} from '../../../src/simulator/service/scripted-service.ts'
import { bytesOf } from '../../../src/transcode/pcm.ts'

const RECEIVE = { obtainVia: 'chunk', codec: 'mp3', sampleRate: 16_000, mode: 'block' }
const open: { disconnect(): void }[] = []
const services: ScriptedService[] = []

afterEach(async () => {
  for (const socket of open.splice(0)) socket.disconnect()
  for (const service of services.splice(0)) await service.close()
})

async function listen(options: ScriptedServiceOptions = {}): Promise<ScriptedService> {
  const service = await ScriptedService.listen(options)
  services.push(service)
  return service
}

interface ClientOptions {
  namespace?: string
  token?: string
  query?: Record<string, string>
  mode?: string
}

function client(service: ScriptedService, options: ClientOptions = {}): Socket {
  const receiveAudio = JSON.stringify({ ...RECEIVE, mode: options.mode ?? 'block' })
  const socket = io(service.url + (options.namespace ?? '/sts'), {
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    auth: { token: options.token ?? service.apiKey },
    query: options.query ?? { languageIdSource: 'en-us', languageIdTarget: 'es-es', receiveAudio },
  })
  open.push(socket)
  return socket
}

/** Resolves to the payload of the next `event`. */
function when(socket: Socket, event: string): Promise<unknown[]> {
  return new Promise(settle => socket.once(event, (...payload: unknown[]) => settle(payload)))
}

async function started(service: ScriptedService, options: ClientOptions = {}): Promise<Socket> {
  const socket = client(service, options)
  await when(socket, 'start')
  return socket
}

const FRAGMENT = bytesOf(new Int16Array(960))

function send(socket: Socket, fragment: unknown = FRAGMENT): Promise<unknown[]> {
  return new Promise((settle, fail) => {
    socket.once('disconnect', reason => fail(new Error(reason)))
    socket.emit('write_stream', fragment, (...answer: unknown[]) => settle(answer))
  })
}

async function speak(socket: Socket, pcm: Int16Array): Promise<void> {
  for (let at = 0; at < pcm.length; at += 960) await send(socket, bytesOf(pcm.slice(at, at + 960)))
}

/** Results until `endSynth`, or the first `count`. */
function results(socket: Socket, count = Number.POSITIVE_INFINITY): Promise<StsResult[]> {
  const all: StsResult[] = []
  return new Promise(settle => {
    socket.on('result', (result: StsResult) => {
      all.push(result)
      if (all.length >= count) settle(all)
    })
    socket.once('endSynth', () => count === Number.POSITIVE_INFINITY && settle(all))
  })
}

describe('the protocol', () => {
  test('connected echoes the parameters, start follows, fragments are acknowledged and recorded', async () => {
    const service = await listen({ record: 'audio' })
    const socket = client(service)
    const [connected, start] = await Promise.all([when(socket, 'connected'), when(socket, 'start')])
    expect(connected[0]).toMatchObject({
      languageIdSource: 'en-us',
      languageIdTarget: 'es-es',
      receiveAudio: RECEIVE,
    })
    expect(start).toEqual([true])
    expect(await send(socket)).toEqual([true])
    const session = service.session!
    expect(session).toMatchObject({
      number: 1,
      from: 'en-us',
      to: 'es-es',
      fragments: 1,
      samples: 960,
      heardMs: 60,
    })
    expect(session.fragmentBytes).toEqual([1920])
    expect(session.pcm).toHaveLength(960)
    expect(session.log.map(entry => entry.event)).toEqual(['connected', 'start', 'fragment'])
    socket.disconnect()
    expect(await session.ended).toBe('client namespace disconnect')
  })

  test('a wrong key is a connect_error, wrong parameters an error event', async () => {
    const service = await listen()
    const [error] = await when(client(service, { token: 'wrong' }), 'connect_error')
    expect(error).toMatchObject({ data: { code: 'unauthorized', error: 'key_wrong' } })
    const socket = client(service, { query: { languageIdSource: 'english', languageIdTarget: 'es-es' } })
    expect((await when(socket, 'error'))[0]).toMatchObject({
      code: 'bad_parameter',
      error: 'language_malformed',
    })
    expect(service.refused).toHaveLength(2)
    expect(service.sessions).toHaveLength(0)
  })

  test('a fragment before start is rejected and counted', async () => {
    const service = await listen({ faults: { startDelayMs: 5_000 } })
    const socket = client(service)
    await when(socket, 'connected')
    const error = when(socket, 'error')
    expect(await send(socket)).toEqual([false])
    expect((await error)[0]).toMatchObject({ code: 'not_ready', error: 'before_start' })
    expect(service.session).toMatchObject({ early: 1, fragments: 0 })
  })

  test('stops and restarts on the same port', async () => {
    const service = await listen()
    const socket = await started(service)
    const { url } = service
    const gone = when(socket, 'disconnect')
    await service.stop()
    expect((await gone)[0]).toMatch(/transport/)
    await when(client(service), 'connect_error')
    await service.start()
    expect(service.url).toBe(url)
    await started(service)
    expect(service.sessions).toHaveLength(2)
  })
})

describe('answers', () => {
  test('tones: an utterance is answered by a tone of its length in the target language', async () => {
    const service = await listen()
    const socket = await started(service)
    const answer = results(socket)
    await speak(socket, new Int16Array(3200))
    await speak(socket, tone(440, 1000))
    await speak(socket, new Int16Array(6400))
    const [result, more] = await answer
    expect(more).toBeUndefined()
    expect(result).toMatchObject({
      id: '1',
      final: true,
      text: 'en-us 1',
      translation: 'es-es 1',
      startMs: 200,
      endMs: 1200,
    })
    // 32 kbit/s: 4 bytes per millisecond, and the encoder's delay.
    expect(result!.file!.data.length).toBeGreaterThan(4000)
    expect(result!.file!.data.length).toBeLessThan(4700)
    expect([...new Uint8Array(result!.file!.data).subarray(0, 2)]).toEqual([0xff, 0xf3])
    expect(toneOf('es-es')).toBe(toneOf('es-mx'))
    expect(new Set(['en', 'es', 'fr', 'de', 'it', 'pt', 'ja'].map(toneOf)).size).toBe(7)
  })

  test('tones: detects the speaker’s own tone, and can answer at an interval', async () => {
    const heard: number[] = []
    const answer = tones({ everyMs: 500, rate: 24_000, hz: (_, heardHz) => heard.push(heardHz) && 700 })
    const socket = await started(await listen({ answer }))
    const two = results(socket, 2)
    await speak(socket, tone(600, 1020))
    const rates = (await two).map(result => result.file?.sampleRate)
    expect(rates).toEqual([24_000, 24_000])
    expect(heard).toEqual([600, 600])
  })

  test('streaming: one mp3 in pieces, endSynth after the last', async () => {
    const socket = await started(await listen({ answer: tones({ everyMs: 960 }) }), { mode: 'streaming' })
    const answer = results(socket)
    await speak(socket, tone(440, 960))
    const pieces = await answer
    expect(pieces.length).toBeGreaterThan(3)
    expect(new Set(pieces.map(piece => piece.id))).toEqual(new Set(['1']))
  })

  test('/stt: text without voice, partials on request', async () => {
    const service = await listen({ answer: tones({ silenceMs: 60 }) })
    const query = { languageIdSource: 'en-us', partials: 'true' }
    const socket = await started(service, { namespace: '/stt', query })
    const answer = results(socket, 2)
    await speak(socket, tone(440, 600))
    await speak(socket, new Int16Array(1920))
    const [partial, final] = await answer
    expect(partial).toMatchObject({ id: '1', final: false })
    expect(final).toMatchObject({ id: '1', final: true })
    expect(final).not.toHaveProperty('file')
    expect(service.session!.log.map(entry => entry.event)).not.toContain('endSynth')
  })
})

describe('faults', () => {
  test('of the connection attempt: refuse, hang, key, connected, start', async () => {
    const service = await listen({ faults: { refuse: 503 } })
    await when(client(service), 'connect_error')
    service.heal()
    service.next({ refuseKey: { code: 'expired' } })
    expect((await when(client(service), 'connect_error'))[0]).toMatchObject({ data: { code: 'expired' } })
    service.next({ noConnected: true, noStart: true })
    service.next({ startDelayMs: 50, startWith: 'http://127.0.0.1/audio' })
    const mute = client(service)
    await service.sessionOf(1)
    let greeted = false
    mute.onAny(() => {
      greeted = true
    })
    expect(await when(client(service), 'start')).toEqual(['http://127.0.0.1/audio'])
    expect(greeted).toBe(false)
    service.faults.hang = true
    const held = client(service)
    await Promise.race([when(held, 'connect_error'), new Promise(settle => setTimeout(settle, 50))])
    expect(held.connected).toBe(false)
  })

  test('of acknowledgments: nack counts down, odd answers, late, none', async () => {
    const service = await listen({ faults: { nack: 2 } })
    const socket = await started(service)
    expect([await send(socket), await send(socket), await send(socket)]).toEqual([[false], [false], [true]])
    expect(service.session).toMatchObject({ arrived: 3, fragments: 1, samples: 960 })
    expect(await send(socket, 'text')).toEqual([false])
    service.faults.ackWith = ['odd', 2]
    expect(await send(socket)).toEqual(['odd', 2])
    service.faults.ackAfterMs = 40
    const before = performance.now()
    await send(socket)
    expect(performance.now() - before).toBeGreaterThan(35)
    service.faults.noAck = true
    const silent = send(socket)
    service.session!.hang()
    expect(await Promise.race([silent, new Promise(settle => setTimeout(settle, 60, 'nothing'))])).toBe(
      'nothing',
    )
    silent.catch(() => {})
  })

  test('of the connection: dropAt in one session only, kick, dropAll', async () => {
    const service = await listen()
    service.next({ dropAt: 3 })
    const first = await started(service)
    await send(first)
    await send(first)
    await expect(send(first)).rejects.toThrow(/transport/)
    expect(service.session).toMatchObject({ arrived: 3, fragments: 2 })
    const second = await started(service)
    for (let i = 0; i < 5; i++) expect(await send(second)).toEqual([true])
    const kicked = when(second, 'disconnect')
    service.session!.drop('kick')
    expect((await kicked)[0]).toBe('io server disconnect')
    const third = await started(service)
    const cut = when(third, 'disconnect')
    service.dropAll()
    expect((await cut)[0]).toMatch(/transport/)
  })

  test('of results: duplicate, reorder, slices, no endSynth, mangled, errors, unknown events', async () => {
    const service = await listen({
      answer: silence,
      faults: { duplicate: true, reorder: true, neverEndSynth: true },
    })
    const socket = await started(service)
    const said = results(socket, 4)
    service.session!.say({ text: 'one' })
    service.session!.say({ text: 'two' })
    expect((await said).map(result => result.text)).toEqual(['two', 'two', 'one', 'one'])
    expect(service.session!.log.map(entry => entry.event)).not.toContain('endSynth')
    Object.assign(service.faults, { duplicate: false, reorder: false, neverEndSynth: false, sliceBytes: 3 })
    const sliced = results(socket)
    service.session!.say({ audio: new Uint8Array(7) })
    expect((await sliced).map(result => result.file!.data.byteLength)).toEqual([3, 3, 1])
    service.faults.mangle = () => ({ file: { data: 'text' } })
    const mangled = when(socket, 'result')
    service.session!.say({})
    expect((await mangled)[0]).toEqual({ file: { data: 'text' } })
    const error = when(socket, 'error')
    service.session!.error({ code: 'quota', error: 'exhausted', description: 'no more' })
    expect((await error)[0]).toMatchObject({ code: 'quota' })
    const unknown = when(socket, 'greetings')
    service.session!.emit('greetings', 1, 'two')
    expect(await unknown).toEqual([1, 'two'])
  })
})
