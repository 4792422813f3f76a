import { beforeEach, describe, expect, test } from 'vitest'
import { framesIn, numberedFrames } from '../../../simulator/network/numbered-frames.ts'
import { concat } from '../../../src/transcode/pcm.ts'
import { expectEmpty } from '../../support/leaks.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

type Rooms = Awaited<ReturnType<typeof rooms>>

/** RMS of the last `ms` played to a leg. */
function levelOf(pcm: Int16Array): number {
  return Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, pcm.length))
}

describe('invalid results', () => {
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
