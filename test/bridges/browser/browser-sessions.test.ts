import { afterEach, describe, expect, test } from 'vitest'
import { Mp3Maker } from '../../../simulator/service/scripted-answers.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import type { RelayEvents } from '../../../src/core/model/events.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { browserServer } from '../../support/browser/browser-bridge-harness.ts'
import { wakeSessions } from '../../support/relay/hello.ts'
import { sine } from '../../support/transcode/tone.ts'
import { until } from '../../support/until.ts'

let b: Awaited<ReturnType<typeof browserServer>>
afterEach(() => b.close())

const secondsOf = (pcm: Int16Array, hz: number) => {
  let frames = 0
  for (let at = 0; at + 320 <= pcm.length; at += 320)
    if (loudness(pcm.subarray(at, at + 320), hz, 16_000) > 1_000) frames++
  return frames / 50
}

describe('a visitor', () => {
  test('is translated, and receives audio, captions, marks and the delay', async () => {
    b = await browserServer()
    const anna = await b.talker()
    const welcome = await anna.hello({ name: 'Anna' })
    expect(welcome).toMatchObject({
      resumed: false,
      self: { speaks: 'en-us', hears: 'es-es', accompanied: false, company: 'en-us', alone: 'es-es' },
    })
    expect(welcome.parties).toMatchObject([{ name: 'Anna', you: true, channel: 'browser' }])
    anna.say(sine(440, 1_000, 8_000))
    await until(() => b.bridge.legCounters().framesIn === 50, 5_000, 'frames')
    await until(() => b.translator.connections[0]?.live, 2_000, 'a session')
    await b.run(200)
    const { request, sent, sink } = b.translator.last
    expect(request).toEqual({ from: 'en-us', to: 'es-es', want: 'speech' })
    expect(sent.length).toBe(10)
    const maker = await Mp3Maker.create()
    sink.result({
      utterance: '1',
      final: true,
      text: 'hello',
      translation: 'hola',
      audio: maker.tone(900, 600),
    })
    sink.endOfSpeech('1')
    await b.run(1_000)
    expect(await anna.expect('caption')).toMatchObject({
      mine: true,
      name: 'Anna',
      final: true,
      translation: 'hola',
    })
    expect((await anna.expect('latency')).ms).toBeGreaterThanOrEqual(0)
    await until(() => b.bridge.legCounters().marksHeard === 1, 2_000, 'the mark')
    await until(() => secondsOf(anna.pcm, 900) > 0.55, 2_000, 'the voice')
    expect(secondsOf(anna.pcm, 900)).toBeLessThan(0.7)
    // Each piece directly follows the previous one.
    let end = anna.heard[0]!.timestamp
    for (const [n, { sequence, timestamp, pcm }] of anna.heard.entries()) {
      expect(sequence).toBe(n)
      expect(timestamp).toBe(end)
      end += pcm.length
    }
  })

  test('hears their own language in company, and their own translation when alone again', async () => {
    b = await browserServer()
    const anna = await b.talker()
    await anna.hello()
    anna.send({ kind: 'invite' })
    const { path, code } = await anna.expect('invited')
    const link = path.replace('/#join=', '')
    const bob = await b.talker()
    const welcome = await bob.hello({ link, speaks: 'es-es', hears: 'es-es', alone: 'en-us', name: 'Bob' })
    expect(welcome.self).toMatchObject({ hears: 'es-es', accompanied: true })
    expect((await anna.expect('self', ({ self }) => self.accompanied)).self.hears).toBe('en-us')
    const { parties } = await anna.expect('parties', ({ parties }) => parties.length === 2)
    expect(parties.find(({ you }) => !you)).toMatchObject({
      name: 'Bob',
      speaks: 'es-es',
      channel: 'browser',
    })
    expect([...b.relay.rooms.values()].map(({ participants }) => participants.size)).toEqual([2])
    expect(await b.codes.find(code!)).toBe([...b.relay.rooms.keys()][0])
    bob.send({ kind: 'bye' })
    expect((await anna.expect('self', ({ self }) => !self.accompanied)).self.hears).toBe('es-es')
    expect(await bob.expectClosed()).toBe(1000)
  })

  test('changes languages and voice during a call, ignoring voices that the service lacks', async () => {
    b = await browserServer()
    const anna = await b.talker()
    await anna.hello({ voices: { 'es-es': 'es-f', 'en-us': 'nobody' } })
    wakeSessions(b.relay, b.clock.now())
    expect(b.translator.last.request).toMatchObject({ to: 'es-es', voice: 'es-f' })
    anna.send({ kind: 'change', alone: 'fr-fr' })
    expect((await anna.expect('self', ({ self }) => self.hears === 'fr-fr')).self.voice).toBeUndefined()
    anna.send({ kind: 'change', alone: 'es-es' })
    expect((await anna.expect('self', ({ self }) => self.hears === 'es-es')).self.voice).toBe('es-f')
    anna.send({ kind: 'change', voices: {} })
    await anna.expect('self', ({ self }) => self.voice === undefined)
    anna.send({ kind: 'change', name: 'Anna', muted: true })
    await anna.expect('self', ({ self }) => self.muted)
    anna.send({ kind: 'change', speaks: null })
    await anna.expect('self', ({ self }) => self.speaks === undefined)
  })

  test('is notified of changes made by others, and keeps them', async () => {
    b = await browserServer()
    const anna = await b.talker()
    await anna.hello()
    const participant = b.relay.find(b.bridge.legs.values().next().value!.id)!
    participant.change({ hears: 'fr-fr', muted: true })
    expect((await anna.expect('self', ({ self }) => self.muted)).self).toMatchObject({
      hears: 'fr-fr',
      alone: 'fr-fr',
    })
  })

  test('reconnects as the same participant, and hears what they missed', async () => {
    b = await browserServer()
    const returned: RelayEvents['reconnected'][] = []
    b.relay.observer.on('reconnected', event => returned.push(event))
    const anna = await b.talker()
    const { call, secret } = await anna.hello()
    anna.socket.terminate()
    await until(() => b.bridge.legs.size === 0, 5_000, 'the cut')
    expect(b.bridge.sessions).toBe(1)
    await b.run(3_000)
    const again = await b.talker()
    again.send({ kind: 'resume', call, secret })
    expect(await again.expect('welcome')).toMatchObject({ resumed: true, call })
    expect(returned).toMatchObject([{ absentMs: 3_000 }])
    // Again over a connection that is still open.
    const third = await b.talker()
    third.send({ kind: 'resume', call, secret })
    await third.expect('welcome')
    expect(await again.expectClosed()).toBe(4409)
    expect(await again.expect('ended')).toMatchObject({ why: 'replaced' })
    expect(b.relay.legs).toBe(1)
  })

  test('knows what they get from each speaker, and why, also after a reconnection', async () => {
    b = await browserServer()
    const anna = await b.talker()
    const { call, secret } = await anna.hello({ name: 'Anna' })
    const own = { you: true, name: 'Anna', to: 'es-es', gets: 'translated', missed: false }
    expect((await anna.expect('receptions')).from).toMatchObject([own])
    anna.send({ kind: 'invite' })
    const { path } = await anna.expect('invited')
    const bob = await b.talker()
    const link = path.replace('/#join=', '')
    await bob.hello({ link, speaks: 'es-es', hears: 'es-es', alone: 'en-us', name: 'Bob' })
    const bobs = { you: false, name: 'Bob', to: 'en-us', gets: 'translated', missed: false }
    expect((await anna.expect('receptions', ({ from }) => !from[0]?.you)).from).toMatchObject([bobs])
    b.translator.refuse = {
      kind: 'failed',
      error: new BridgeError('SERVICE_UNREACHABLE', 'nobody there', { retryable: true }),
    }
    bob.say(sine(440, 1_000, 8_000))
    await until(() => b.bridge.legCounters().framesIn === 50, 5_000, 'frames')
    await b.run(3_000)
    const lack = { ...bobs, gets: 'unavailable', why: 'service-unavailable', missed: true }
    expect((await anna.expect('receptions', ({ from }) => from[0]!.missed)).from).toMatchObject([lack])
    anna.socket.terminate()
    await until(() => b.bridge.legs.size === 1, 5_000, 'the cut')
    const again = await b.talker()
    again.send({ kind: 'resume', call, secret })
    expect((await again.expect('receptions')).from).toMatchObject([lack])
    expect(anna.told.filter(({ kind }) => kind === 'receptions').length).toBeLessThan(6)
  })

  test('joins as a new visitor after too long a disconnection, or with the wrong secret', async () => {
    b = await browserServer()
    const anna = await b.talker()
    const { call, secret } = await anna.hello()
    const thief = await b.talker()
    thief.send({ kind: 'resume', call, secret: secret.replace(/^./, letter => (letter === 'A' ? 'B' : 'A')) })
    expect(await thief.expect('refused')).toMatchObject({ why: 'gone' })
    expect(await thief.expectClosed()).toBe(4403)
    anna.socket.terminate()
    await until(() => b.bridge.legs.size === 0, 5_000, 'the cut')
    await b.run(10_500)
    await until(() => b.bridge.sessions === 0, 5_000, 'the end of the visit')
    const late = await b.talker()
    late.send({ kind: 'resume', call, secret })
    expect(await late.expect('refused')).toMatchObject({ why: 'gone' })
    // The room can be returned to for a while.
    b.clock.advance(121_000)
    await expect.poll(() => b.clock.pending).toBe(0)
  })

  test('is disconnected when their time is up', async () => {
    b = await browserServer({ settings: { maxMinutes: 1 }, limits: { lostAfterMs: 120_000 } })
    const anna = await b.talker()
    expect((await anna.hello()).endsInMs).toBe(60_000)
    b.clock.advance(60_000)
    expect(await anna.expect('ended')).toMatchObject({ why: 'time' })
    expect(await anna.expectClosed()).toBe(1000)
    expect(b.bridge.sessions).toBe(0)
  })

  test('is notified when the server shuts down', async () => {
    b = await browserServer()
    const anna = await b.talker()
    await anna.hello()
    const strange = await b.talker()
    await b.server.close()
    expect(await anna.expectClosed()).toBe(1001)
    expect(await strange.expectClosed()).toBe(1001)
    expect(await anna.expect('ended')).toMatchObject({ why: 'server' })
  })
})
