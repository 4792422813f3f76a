import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { RelayCounters } from '../../../src/core/model/relay-counters.ts'
import { ListenerVoice, type VoiceEvents } from '../../../src/core/playout/listener-voice.ts'
import { Playout } from '../../../src/core/playout/playout.ts'
import type { SpokenUtterance } from '../../../src/core/playout/translation-queue.ts'
import { SpeechAudio } from '../../../src/core/utterance/speech-audio.ts'
import { loudness, peak } from '../../../src/transcode/level.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { sine } from '../../support/transcode/tone.ts'

/** An original as loud as the translations: 20 LU below them, 10 between them. */
const levels = { loudness: { db: -20, presence: 1 }, distanceDb: 20, translationDb: -20 }

function speech(id: string, ms: number, hz = 1_000): SpokenUtterance {
  const audio = new SpeechAudio()
  audio.append(sine(hz, ms))
  audio.finish()
  return { id, audio, speechEndedAt: 0 }
}

function setUp({ leadMs = 200, maxLagMs = 20_000 } = {}) {
  const clock = new FakeClock()
  const leg = new FakeLeg('bob')
  const metrics = new RelayCounters()
  const playout = new Playout(leg, { leadMs, metrics })
  const seen: string[] = []
  const add = (speaker: string) => {
    const events: VoiceEvents = {
      begun: u => seen.push(`begun ${u.id}`),
      finished: u => playout.mark(u.id, () => seen.push(`heard ${u.id}`)),
      dropped: u => seen.push(`dropped ${u.id}`),
      starved: () => metrics.starved++,
      skipped: () => metrics.originalFramesDropped++,
    }
    const voice = new ListenerVoice(speaker, { ...levels, maxLagMs, events })
    playout.add(voice)
    return voice
  }
  const run = (ms: number) => {
    for (let at = 0; at < ms; at += 20) {
      playout.pump(clock.now())
      clock.advance(20)
    }
  }
  return { clock, leg, metrics, playout, seen, add, run }
}

/** A speaker's live voice: one frame every 20 ms. */
function talk(s: ReturnType<typeof setUp>, voice: ListenerVoice, ms: number, hz = 400) {
  const pcm = sine(hz, ms)
  for (let at = 0; at < pcm.length; at += FRAME_SAMPLES) {
    if (voice.passes) voice.original.write(pcm.subarray(at, at + FRAME_SAMPLES), false)
    s.playout.pump(s.clock.now())
    s.clock.advance(20)
  }
}

describe('playing translations', () => {
  test('sends nothing while there is no audio', () => {
    const s = setUp()
    s.add('anna').apply({ session: { unavailable: false } })
    s.run(1_000)
    expect(s.leg.played).toHaveLength(0)
  })

  test('the first frame goes at once, the lead is filled, then 40 ms messages follow in real time', () => {
    const s = setUp()
    s.add('anna').translation.enqueue(speech('1', 2_000))
    s.playout.pump(s.clock.now())
    expect(s.leg.played[0]).toHaveLength(320)
    expect(s.leg.heard().length / 16).toBe(180)
    s.clock.advance(20)
    s.run(1_000)
    expect(s.playout.aheadMs(s.clock.now())).toBeGreaterThanOrEqual(140)
    expect(s.playout.aheadMs(s.clock.now())).toBeLessThanOrEqual(200)
    expect(s.leg.played.slice(1).every(p => p.length === 640)).toBe(true)
    s.run(2_000)
    expect(s.leg.heard().length / 16).toBe(2_000)
  })

  test('legs with long messages get 80 ms of what is known, and live voices as before', () => {
    const s = setUp()
    s.leg.messageMs = 80
    s.playout.moveTo(s.leg, s.clock.now())
    const voice = s.add('anna')
    voice.translation.enqueue(speech('1', 2_000))
    s.playout.pump(s.clock.now())
    expect(s.leg.played.map(frames => frames.length / 16)).toEqual([20, 80, 80])
    let least = Number.POSITIVE_INFINITY
    for (let at = 0; at < 1_600; at += 20) {
      s.clock.advance(20)
      least = Math.min(least, s.playout.aheadMs(s.clock.now()))
      s.playout.pump(s.clock.now())
      expect(s.playout.aheadMs(s.clock.now())).toBeLessThanOrEqual(200)
    }
    expect(least).toBeGreaterThanOrEqual(120)
    expect(s.leg.played.slice(1).every(frames => frames.length / 16 === 80)).toBe(true)
    s.run(1_000)
    // The end of an utterance goes with its mark, whatever its length.
    expect(s.leg.heard().length / 16).toBe(2_000)
    expect(s.leg.marks).toEqual([{ name: '1', atSample: 2_000 * 16 }])
    const sent = s.leg.played.length
    voice.apply({ session: { unavailable: true } })
    talk(s, voice, 1_000)
    expect(s.leg.played.slice(sent).every(frames => frames.length / 16 <= 40)).toBe(true)
    expect(s.leg.played.length).toBeGreaterThan(sent + 20)
  })

  test('long messages leave 100 ms for a late tick, whatever the lead', () => {
    for (const [leadMs, messageMs] of [
      [60, 40],
      [100, 40],
      [160, 60],
      [180, 80],
      [400, 80],
    ] as const) {
      const s = setUp({ leadMs })
      s.leg.messageMs = 400
      s.playout.moveTo(s.leg, s.clock.now())
      s.add('anna').translation.enqueue(speech('1', 2_000))
      s.run(1_000)
      expect(Math.max(...s.leg.played.map(frames => frames.length / 16)), `${leadMs} ms`).toBe(messageMs)
    }
  })

  test('a break within long messages plays nothing twice and loses nothing', () => {
    const s = setUp()
    s.leg.messageMs = 80
    s.playout.moveTo(s.leg, s.clock.now())
    s.add('anna').translation.enqueue(speech('1', 500))
    s.run(100)
    s.playout.interrupt()
    expect(s.leg.flushes).toBe(1)
    const before = s.leg.heard().length
    s.add('carl').translation.enqueue(speech('2', 310))
    s.run(1_000)
    expect((s.leg.heard().length - before) / 16).toBe(320)
  })

  test('a stall shorter than the lead is inaudible', () => {
    const s = setUp()
    s.add('anna').translation.enqueue(speech('1', 3_000))
    s.run(500)
    s.clock.advance(140)
    expect(s.playout.aheadMs(s.clock.now())).toBeGreaterThan(0)
    s.run(100)
    expect(s.playout.aheadMs(s.clock.now())).toBeGreaterThanOrEqual(140)
  })

  test('utterances play whole and in order, each with its mark after its last frame', () => {
    const s = setUp()
    const voice = s.add('anna')
    voice.translation.enqueue(speech('1', 310))
    voice.translation.enqueue(speech('2', 200))
    s.run(1_000)
    expect(s.leg.marks).toEqual([
      { name: '1', atSample: 320 * 16 },
      { name: '2', atSample: 520 * 16 },
    ])
    s.playout.marked('1')
    s.playout.marked('1')
    s.playout.marked('unknown')
    expect(s.seen).toEqual(['begun 1', 'begun 2', 'heard 1'])
  })

  test('two simultaneous speakers are mixed', () => {
    const s = setUp()
    s.add('anna').translation.enqueue(speech('1', 500, 800))
    s.add('carl').translation.enqueue(speech('2', 500, 1_300))
    s.run(600)
    const heard = s.leg.heard()
    expect(loudness(heard, 800, 16_000)).toBeGreaterThan(6_500)
    expect(loudness(heard, 1_300, 16_000)).toBeGreaterThan(6_500)
  })

  test('a translation that arrives too slowly is counted, and continues', () => {
    const s = setUp()
    const voice = s.add('anna')
    const audio = new SpeechAudio()
    audio.append(sine(1_000, 100))
    voice.translation.enqueue({ id: '1', audio, speechEndedAt: 0 })
    s.run(300)
    expect(s.metrics.starved).toBe(1)
    audio.append(sine(1_000, 100))
    audio.finish()
    s.run(300)
    // A frame in between fades out the interrupted audio.
    expect(s.leg.heard().length / 16).toBe(220)
    expect(s.leg.marks).toHaveLength(1)
  })

  test('above the maximum lag, the oldest unstarted utterance is dropped whole', () => {
    const s = setUp({ maxLagMs: 3_000 })
    const voice = s.add('anna')
    for (const id of ['1', '2', '3', '4', '5']) {
      voice.translation.enqueue(speech(id, 1_000))
      s.playout.pump(s.clock.now())
    }
    expect(s.seen).toEqual(['begun 1', 'dropped 2'])
    s.run(4_000)
    expect(s.seen.filter(e => e.startsWith('begun'))).toEqual(['begun 1', 'begun 3', 'begun 4', 'begun 5'])
  })

  test('clear drops all queued audio, here and at the peer, and its marks are lost', () => {
    const s = setUp()
    const voice = s.add('anna')
    voice.translation.enqueue(speech('1', 100))
    voice.translation.enqueue(speech('2', 1_000))
    s.playout.pump(0)
    s.playout.clear()
    expect(s.leg.flushes).toBe(1)
    s.playout.marked('1')
    s.run(1_000)
    expect(s.leg.heard().length / 16).toBe(180)
    expect(s.seen).toEqual(['begun 1', 'begun 2', 'dropped 2'])
  })

  test('stops sending while the peer does not read', () => {
    const s = setUp()
    const voice = s.add('anna')
    voice.apply({ session: { unavailable: true } })
    s.leg.congested = true
    talk(s, voice, 1_000)
    expect(s.leg.played).toHaveLength(0)
    expect(s.metrics.congestedFrames).toBeGreaterThan(40)
    voice.translation.enqueue(speech('1', 200))
    s.leg.congested = false
    s.run(400)
    expect(loudness(s.leg.heard(), 1_000, 16_000)).toBeGreaterThan(1_000)
  })

  test('edges do not click', () => {
    const s = setUp()
    const audio = new SpeechAudio()
    audio.append(new Int16Array(3_300).fill(20_000))
    audio.finish()
    s.add('anna').translation.enqueue({ id: '1', audio, speechEndedAt: 0 })
    s.run(600)
    const heard = s.leg.heard()
    let steepest = 0
    for (let at = 1; at < heard.length; at++)
      steepest = Math.max(steepest, Math.abs(heard[at]! - heard[at - 1]!))
    expect(heard[0]).toBe(0)
    expect(steepest).toBeLessThan(400)
  })
})

describe('playing originals', () => {
  test('same language: straight through, at full level, within 60 ms, without a gap', () => {
    const s = setUp()
    const voice = s.add('anna')
    talk(s, voice, 60)
    expect(s.leg.heard().length / 16).toBe(60)
    talk(s, voice, 1_940)
    expect(s.leg.heard().length / 16).toBeGreaterThanOrEqual(1_960)
    expect(peak(s.leg.heard())).toBe(8_000)
    expect(s.leg.played.filter(p => p.length === 640).length).toBeGreaterThan(45)
  })

  test('duck: quiet, quieter under a translation, and back without a jump', () => {
    const s = setUp()
    const voice = s.add('anna')
    voice.apply({ session: { unavailable: false } })
    talk(s, voice, 1_000)
    expect(loudness(s.leg.heard().subarray(4_000), 400, 16_000)).toBeCloseTo(8_000 * 10 ** (-10 / 20), -2)
    const before = s.leg.heard().length
    voice.translation.enqueue(speech('1', 1_500))
    talk(s, voice, 1_000)
    const under = s.leg.heard().subarray(before + 8_000)
    expect(loudness(under, 400, 16_000)).toBeLessThan(8_000 * 0.12)
    expect(loudness(under, 1_000, 16_000)).toBeGreaterThan(7_000)
    talk(s, voice, 2_000)
    expect(loudness(s.leg.heard().subarray(-8_000), 400, 16_000)).toBeCloseTo(8_000 * 10 ** (-10 / 20), -2)
  })

  test('off: no original; low: constant volume', () => {
    const s = setUp()
    const voice = s.add('anna')
    const session = { unavailable: false }
    voice.apply({ session, original: 'off' })
    talk(s, voice, 500)
    expect(s.leg.played).toHaveLength(0)
    voice.apply({ session, original: 'low' })
    talk(s, voice, 500)
    expect(loudness(s.leg.heard().subarray(1_600), 400, 16_000)).toBeCloseTo(800, -2)
  })

  test('service unavailable: the original rises to full level within 100 ms, and falls again', () => {
    const s = setUp()
    const voice = s.add('anna')
    const session = { unavailable: false }
    voice.apply({ session, original: 'off' })
    talk(s, voice, 500)
    session.unavailable = true
    talk(s, voice, 100)
    expect(peak(s.leg.heard())).toBe(8_000)
    talk(s, voice, 400)
    session.unavailable = false
    const before = s.leg.heard().length
    talk(s, voice, 500)
    expect(s.leg.heard().length - before).toBeLessThan(100 * 16)
  })

  test('a voice under a translation has no gap, and keeps its delay', () => {
    const s = setUp()
    const voice = s.add('anna')
    voice.apply({ session: { unavailable: false } })
    talk(s, voice, 500)
    const before = s.playout.aheadMs(s.clock.now())
    voice.translation.enqueue(speech('1', 1_000))
    talk(s, voice, 1_500)
    expect(s.playout.aheadMs(s.clock.now())).toBeLessThanOrEqual(before + 20)
    const heard = s.leg.heard().subarray(1_000 * 16)
    for (let at = 0; at + 640 <= heard.length; at += 320)
      expect(loudness(heard.subarray(at, at + 640), 400, 16_000)).toBeGreaterThan(700)
    expect(voice.original.length).toBeLessThanOrEqual(2)
    expect(s.metrics.originalFramesDropped).toBe(0)
  })

  test('after silence, it is delayed by the lead, and catches up in its pauses', () => {
    const s = setUp()
    const voice = s.add('anna')
    voice.apply({ session: { unavailable: false } })
    voice.translation.enqueue(speech('1', 1_000))
    s.run(500)
    talk(s, voice, 1_000)
    expect(voice.original.length).toBeGreaterThan(6)
    for (let n = 0; n < 25; n++) {
      voice.original.write(new Int16Array(FRAME_SAMPLES), true)
      s.playout.pump(s.clock.now())
      s.clock.advance(20)
    }
    expect(voice.original.length).toBeLessThanOrEqual(9)
  })

  test('hours of talk neither grow a backlog nor lose a frame', () => {
    const s = setUp()
    const voice = s.add('anna')
    const frame = sine(400, 20)
    let sent = 0
    for (let n = 0; n < 180_000; n++) {
      voice.original.write(frame, false)
      s.playout.pump(s.clock.now())
      for (const { length } of s.leg.played.splice(0)) sent += length / FRAME_SAMPLES
      s.clock.advance(20)
    }
    expect(s.metrics.originalFramesDropped).toBe(0)
    expect(voice.original.length).toBeLessThanOrEqual(3)
    expect(180_000 - sent).toBeLessThanOrEqual(3)
  })
})
