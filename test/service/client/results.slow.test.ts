import { beforeEach, describe, expect, test } from 'vitest'
import { framesIn, numberedFrames } from '../../../simulator/network/numbered-frames.ts'
import { concat } from '../../../src/transcode/pcm.ts'
import { PATIENCE_MS, Rig, WHOLE } from '../../support/faults/service-fault-harness.ts'
import { expectEmpty, LeakWatch } from '../../support/leaks.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'
import { pause, until } from '../../support/until.ts'

type Rooms = Awaited<ReturnType<typeof rooms>>

/** RMS of the last `ms` played to a leg. */
function levelOf(pcm: Int16Array): number {
  return Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, pcm.length))
}

describe('invalid results, on a simulated clock', () => {
  let r: Rooms
  let bob: ReturnType<Rooms['live']>
  beforeEach(async () => {
    r = await rooms()
    r.live('anna', { speaks: 'en-us', hears: 'en-us', original: 'off' })
    bob = r.live('bob', { hears: 'es-es' })
    await r.run(200)
  })
  const sink = () => r.connection('en-us', 'es-es').sink
  const heard = () => framesIn(concat(bob.played)).map(({ index }) => index)
  const voice = (from: number, to: number) => r.maker.encode(numberedFrames(from, to), 16_000, 64)
  const over = async () => {
    await r.relay.close()
    expectEmpty(r.relay, r.clock)
  }

  test('results out of order are both played, each complete, in the order of arrival', async () => {
    sink().result({ utterance: '2', final: true, text: 'two', audio: voice(100, 150) })
    sink().endOfSpeech('2')
    sink().result({ utterance: '1', final: true, text: 'one', audio: voice(0, 50) })
    sink().endOfSpeech('1')
    await r.run(3_500)
    expect(heard()).toEqual([
      ...Array.from({ length: 50 }, (_, n) => 100 + n),
      ...Array.from({ length: 50 }, (_, n) => n),
    ])
    await over()
  })

  test('a result without a voice is captioned, and the original is louder until there is a voice again', async () => {
    r.say('anna', sine(300, 20_000))
    // The distance below translations is reached slowly.
    await r.run(8_000)
    const soft = levelOf(bob.lately(400))
    sink().result({ utterance: '1', final: true, text: 'one', translation: 'uno' })
    sink().endOfSpeech('1')
    await r.run(1_000)
    const full = levelOf(bob.lately(400))
    expect(full / levelOf(sine(300, 400))).toBeCloseTo(1, 1)
    expect(20 * Math.log10(full / soft)).toBeGreaterThan(6)
    expect(r.captions).toMatchObject([{ text: 'one', translation: 'uno', final: true }])
    sink().result({
      utterance: '2',
      final: true,
      text: 'two',
      translation: 'dos',
      audio: r.maker.tone(2_000, 400),
    })
    sink().endOfSpeech('2')
    await r.run(2_000)
    expect(20 * Math.log10(full / levelOf(bob.lately(400)))).toBeGreaterThan(6)
    expect(r.relay.metrics.utterancesVoiceless).toBe(1)
    await over()
  })

  test('a voice without end is cut after two minutes, and the next is played', async () => {
    const minute = r.maker.tone(800, 60_000)
    for (let n = 0; n < 20; n++) sink().result({ utterance: '1', final: true, text: 'on', audio: minute })
    await r.run(125_000)
    const { audioMs } = r.utterances.findLast(({ stage }) => stage === 'begun') ?? { audioMs: 0 }
    expect(audioMs).toBeLessThan(125_000)
    sink().endOfSpeech('1')
    sink().result({ utterance: '2', final: true, text: 'two', audio: voice(0, 50) })
    sink().endOfSpeech('2')
    await r.run(3_000)
    expect(heard().slice(-50)).toEqual(Array.from({ length: 50 }, (_, n) => n))
    await over()
  })

  test('a missing end of voice: after 10 s the utterance is over, and the original is as before', async () => {
    r.say('anna', sine(300, 30_000))
    await r.run(8_000)
    const soft = levelOf(bob.lately(400))
    sink().result({ utterance: '1', final: true, text: 'one', endMs: 7_600, audio: r.maker.tone(2_000, 400) })
    await r.run(11_500)
    // Under a translation it would be 10 dB softer.
    expect(20 * Math.log10(levelOf(bob.lately(400)) / soft)).toBeGreaterThan(-1)
    expect(r.utterances.some(({ stage }) => stage === 'heard')).toBe(true)
    await over()
  })

  test('ends of voices that are early, repeated or old change nothing', async () => {
    for (const id of [undefined, '1', '7', '']) sink().endOfSpeech(id)
    sink().result({ utterance: '1', final: true, text: 'one', audio: voice(0, 40) })
    sink().endOfSpeech('1')
    sink().endOfSpeech('1')
    const second = voice(40, 90)
    sink().result({ utterance: '2', final: true, text: 'two', audio: second.subarray(0, second.length / 2) })
    sink().endOfSpeech('1')
    await r.run(500)
    sink().result({ utterance: '2', final: true, text: 'two', audio: second.subarray(second.length / 2) })
    sink().endOfSpeech('2')
    await r.run(3_000)
    expect(heard()).toEqual(Array.from({ length: 90 }, (_, n) => n))
    await over()
  })

  test('ten minutes of voice at once: lag stays limited, whole utterances are dropped, every caption stays', async () => {
    const tone = r.maker.tone(900, 5_000)
    for (let n = 0; n < 120; n++) {
      sink().result({ utterance: `${n}`, final: true, text: `text ${n}`, audio: tone })
      sink().endOfSpeech(`${n}`)
    }
    await r.run(40_000)
    expect(r.captions).toHaveLength(120)
    const { utterancesDropped, utterances } = r.relay.metrics
    expect(utterances).toBe(120)
    expect(utterancesDropped).toBeGreaterThan(110)
    expect(bob.lately(5_000).every(sample => sample === 0)).toBe(true)
    await over()
  })

  test('a service that accepts speech at half speed: the buffer stays limited, losses are counted', async () => {
    r.translator.autoReady = false
    r.connection('en-us', 'es-es').drop({ kind: 'hangup', by: 'remote' })
    r.say('anna', sine(300, 200_000))
    const acked = new Map<object, number>()
    let fragments = 0
    for (let ms = 0; ms < 180_000; ms += 200) {
      await r.run(200)
      const connection = r.connection('en-us', 'es-es')
      connection.autoAck = false
      if (!connection.live && !connection.closed) connection.sink.ready()
      // One of 100 ms in 200 ms.
      const next = acked.get(connection) ?? 0
      const fragment = connection.sent[next]
      acked.set(connection, next + 1)
      if (fragment) connection.sink.acked(fragment.sequence, true)
      fragments = Math.max(fragments, r.relay.replayFragments)
    }
    expect(fragments).toBeLessThanOrEqual(48_000 / 100 + 2)
    expect(r.relay.metrics.lostMs).toBeGreaterThan(10_000)
    await over()
  })

  test('impossible times are ignored, also for the order', async () => {
    for (const [n, endMs] of [1e308, 0, Number.MAX_SAFE_INTEGER, 5, 2 ** 53].entries()) {
      sink().result({
        utterance: `${n}`,
        final: true,
        text: `${n}`,
        endMs,
        audio: voice(n * 20, n * 20 + 20),
      })
      sink().endOfSpeech(`${n}`)
    }
    await r.run(4_000)
    expect(heard()).toEqual(Array.from({ length: 100 }, (_, n) => n))
    await over()
  })

  test('the first hang-up ends the session at once, and no fragment follows', async () => {
    const connection = r.connection('en-us', 'es-es')
    r.say('anna', sine(300, 5_000))
    await r.run(500)
    await r.relay.close()
    const { length } = connection.sent
    expect(connection.closed).toBe(true)
    await r.run(500)
    expect(connection.sent).toHaveLength(length)
    expectEmpty(r.relay, r.clock)
  })
})

describe.concurrent('invalid results, on a real socket', () => {
  test('every result twice: each is played once', async () => {
    await using rig = await Rig.open({ service: { faults: { duplicate: true } } })
    await rig.speak(0, 60)
    await rig.speak(60, 120)
    expect(await rig.count(0, 120)).toEqual(WHOLE)
    expect(rig.captions.filter(({ final }) => final)).toHaveLength(2)
  })

  test('the same in pieces', async () => {
    await using rig = await Rig.open({
      client: { mode: 'streaming' },
      service: { faults: { duplicate: true } },
    })
    await rig.speak(0, 60)
    expect(await rig.count(0, 60)).toEqual(WHOLE)
  })

  test('two concurrent calls never hear a frame of each other, for any data from a service', async () => {
    await using one = await Rig.open()
    await using two = await Rig.open()
    const [first, second] = await Promise.all([one.session(1), two.session(1)])
    // Names of each other's utterances, of unknown utterances, and ends of them.
    for (const session of [first, second])
      for (const id of ['0', '1', '2', '99', '__proto__']) session.emit('endSynth', { id })
    await Promise.all([one.speak(0, 80), two.speak(10_000, 10_080)])
    expect(await one.count(0, 80)).toEqual(WHOLE)
    expect(await two.count(10_000, 10_080)).toEqual(WHOLE)
  })

  test('a result of 5 MB ends its own connection only', async () => {
    await using one = await Rig.open()
    await using two = await Rig.open()
    const huge = await one.session(1)
    await Promise.all([
      one.speak(0, 100),
      two.speak(10_000, 10_100),
      pause(500).then(() => huge.emit('result', { file: { data: Buffer.alloc(5_000_000) } })),
    ])
    expect((await one.count(0, 100)).lost).toEqual([])
    expect(await two.count(10_000, 10_100)).toEqual(WHOLE)
    expect(one.relay.metrics.sessionsDropped).toBe(1)
    expect(two.relay.metrics.sessionsDropped).toBe(0)
  })

  test('voices that are not bytes are ignored; more than ten attachments end the connection', async () => {
    await using rig = await Rig.open()
    const session = await rig.session(1)
    const base64 = Buffer.from('no sound').toString('base64')
    for (const data of [
      base64,
      `data:audio/mpeg;base64,${base64}`,
      [1, 2],
      { type: 'Buffer', data: [1] },
      7,
      null,
    ])
      session.emit('result', { id: 'x', final: true, text: 'x', file: { data } })
    session.emit('result', { parts: Array.from({ length: 11 }, () => Buffer.from('x')) })
    await until(() => rig.service.sessions.length === 2, PATIENCE_MS, 'another connection')
    await rig.speak(0, 60)
    expect(await rig.count(0, 60)).toEqual(WHOLE)
    expect(rig.relay.metrics.mp3InvalidBytes).toBe(0)
  })

  test('a few unknown events are harmless; a flood of them ends the connection, and the speech is played', async () => {
    await using rig = await Rig.open()
    const first = await rig.session(1)
    for (let n = 0; n < 100; n++) first.emit(`event ${n}`, { n })
    const speaking = rig.speak(0, 100)
    await pause(700)
    expect(first.connected).toBe(true)
    for (let n = 0; n < 10_000 && first.connected; n++) first.emit('nonsense', n)
    await until(() => !first.connected, PATIENCE_MS, 'that the flood is ended')
    await speaking
    expect((await rig.count(0, 100)).lost).toEqual([])
    expect(rig.relay.metrics.sessionsDropped).toBe(1)
  })

  test('errors of every kind and size are only logged, short, without control characters', async () => {
    await using rig = await Rig.open()
    const session = await rig.session(1)
    const evil = 'a\u0000b\u001b[31mc\nd\u202e'
    session.error({ code: evil, error: evil, description: evil.repeat(1_000) })
    session.error({ description: 'x'.repeat(1_000_000) })
    session.error(JSON.parse('{"__proto__":{"polluted":1},"code":{"a":1},"error":[1],"description":7}'))
    for (const body of [null, 7, 'words', [], undefined]) session.error(body)
    await rig.speak(0, 60)
    expect(await rig.count(0, 60)).toEqual(WHOLE)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    const lines = JSON.stringify(rig.log.all)
    expect(lines.length).toBeLessThan(10_000)
    expect(/\\u0000|\\u001b|\u202e|\\n/.test(lines)).toBe(false)
    expect(rig.captions.every(({ text }) => text === 'en-us 1')).toBe(true)
    expect(session.connected).toBe(true)
  })

  test('accepts connected and start twice, late, and with any content', async () => {
    await using rig = await Rig.open({ service: { faults: { startWith: { unexpected: [1, 2] } } } })
    const session = await rig.session(1)
    for (const payload of [undefined, null, 'x', { languageIdSource: 7, expiresInMs: 'soon' }, []]) {
      session.emit('connected', payload)
      session.emit('start', payload)
    }
    await rig.speak(0, 60)
    expect(await rig.count(0, 60)).toEqual(WHOLE)
    expect(rig.relay.metrics.sessionsDropped).toBe(0)
  })

  test('leaves nothing over', async () => {
    using watch = new LeakWatch()
    {
      await using rig = await Rig.open()
      await rig.speak(0, 30)
    }
    expect(watch).toBeDefined()
  })
})
