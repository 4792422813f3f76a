import { expect } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import type { Leg } from '../../../src/core/model/leg.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { sine } from '../transcode/tone.ts'
import { until } from '../until.ts'
import type { Checks } from './suite.ts'

/** An unattached leg, and the participant at its other end. */
export interface LegSubject {
  readonly leg: Leg
  /** Another leg of the same channel. */
  another(): Promise<Leg>
  readonly party: {
    /** Says `pcm` (16 kHz), surrounded by silence. */
    say(pcm: Int16Array): void
    press(keys: string): void
    /** Listens until all sent audio must have been played, or for `ms`. */
    listen(ms: number): Promise<void>
    /** The audio heard so far. */
    heard(): { pcm: Int16Array; rate: number }
    hangUp(): void
    /** Disappears without closing. */
    vanish(): void
  }
  /** Maximum round trip (ms). */
  readonly patienceMs: number
}

/** Attaches to the leg, and records what it delivers. */
function attached({ leg }: Pick<LegSubject, 'leg'>) {
  const frames: Int16Array[] = []
  const marks: string[] = []
  const keys: string[] = []
  const ends: EndReason[] = []
  leg.attach({
    write: frame => void frames.push(frame.slice()),
    marked: name => void marks.push(name),
    dtmf: digit => void keys.push(digit),
  })
  leg.ended.then(
    reason => ends.push(reason),
    () => ends.push({ kind: 'failed', error: new BridgeError('STATE', 'rejected') }),
  )
  const loud = (hz: number) => frames.filter(frame => loudness(frame, hz, 16_000) > 2_000).length
  return { frames, marks, keys, ends, loud }
}

/** Duration of `hz` in the received audio (ms), to 20 ms. */
function heardMs({ pcm, rate }: { pcm: Int16Array; rate: number }, hz: number): number {
  const step = rate / 50
  let count = 0
  for (let at = 0; at + step <= pcm.length; at += step)
    if (loudness(pcm.subarray(at, at + step), hz, rate) > 2_000) count++
  return count * 20
}

/** When `hz` is first heard (ms); Infinity: never. */
function firstAt({ pcm, rate }: { pcm: Int16Array; rate: number }, hz: number): number {
  const step = rate / 50
  for (let at = 0; at + step <= pcm.length; at += step)
    if (loudness(pcm.subarray(at, at + step), hz, rate) > 2_000) return (at / rate) * 1_000
  return Number.POSITIVE_INFINITY
}

const local: EndReason = { kind: 'hangup', by: 'local' }

/** Checks that every `Leg` passes. */
export const legChecks: Checks<LegSubject> = {
  async 'has a unique id and the id of its channel'({ leg, another }) {
    const other = await another()
    expect(leg.id).toBeTruthy()
    expect(other.id).not.toBe(leg.id)
    expect(leg.channel).toBeTruthy()
    expect(other.channel).toBe(leg.channel)
    await other.close(local)
  },

  async 'delivers the participant’s speech, complete, in frames of 20 ms'(subject) {
    const got = attached(subject)
    subject.party.say(sine(500, 300))
    subject.party.say(sine(1_500, 200))
    await until(() => got.loud(1_500) >= 9, subject.patienceMs, 'speech')
    expect(new Set(got.frames.map(frame => frame.length))).toEqual(new Set([FRAME_SAMPLES]))
    expect(Math.abs(got.loud(500) - 15)).toBeLessThanOrEqual(1)
    const last500 = got.frames.findLastIndex(frame => loudness(frame, 500, 16_000) > 2_000)
    const first1500 = got.frames.findIndex(frame => loudness(frame, 1_500, 16_000) > 2_000)
    // One after the other, regardless of the line's effect on the border between them.
    expect(first1500 - last500).toBeGreaterThanOrEqual(0)
    expect(first1500 - last500).toBeLessThanOrEqual(3)
  },

  async 'delivers pressed keys'(subject) {
    const got = attached(subject)
    subject.party.press('1#D')
    await until(() => got.keys.length >= 3, subject.patienceMs, 'keys')
    expect(got.keys).toEqual(['1', '#', 'D'])
  },

  async 'plays everything in order and copies its input'(subject) {
    attached(subject)
    const { leg, party } = subject
    for (const [hz, ms] of [
      [500, 200],
      [1_500, 100],
    ] as const) {
      const pcm = sine(hz, ms)
      leg.play(pcm)
      pcm.fill(0)
    }
    await party.listen(300)
    const complete = () => heardMs(party.heard(), 500) >= 180 && heardMs(party.heard(), 1_500) >= 80
    await until(complete, subject.patienceMs, 'both tones')
    const heard = party.heard()
    expect(Math.abs(heardMs(heard, 500) - 200)).toBeLessThanOrEqual(20)
    expect(Math.abs(heardMs(heard, 1_500) - 100)).toBeLessThanOrEqual(20)
    expect(firstAt(heard, 500)).toBeLessThan(firstAt(heard, 1_500))
  },

  async 'reports a mark once all audio before it has been played, and not earlier'(subject) {
    const got = attached(subject)
    const { leg, party } = subject
    leg.play(sine(500, 200))
    leg.mark('one')
    leg.play(sine(500, 100))
    leg.mark('two')
    expect(got.marks).toEqual([])
    await party.listen(300)
    await until(() => got.marks.length >= 2, subject.patienceMs, 'marks')
    expect(got.marks).toEqual(['one', 'two'])
    expect(heardMs(party.heard(), 500)).toBeGreaterThanOrEqual(280)
  },

  async 'drops unheard audio when it is flushed, and never reports its marks'(subject) {
    const got = attached(subject)
    const { leg, party } = subject
    leg.play(sine(500, 1_000))
    leg.mark('never')
    leg.flush()
    leg.play(sine(1_500, 100))
    leg.mark('later')
    await party.listen(100)
    await until(() => got.marks.includes('later'), subject.patienceMs, 'the mark after it')
    expect(got.marks).toEqual(['later'])
    expect(heardMs(party.heard(), 500)).toBeLessThan(300)
    expect(heardMs(party.heard(), 1_500)).toBeGreaterThanOrEqual(80)
  },

  async 'can be flushed while empty'(subject) {
    const got = attached(subject)
    subject.leg.flush()
    subject.leg.flush()
    subject.leg.mark('one')
    await subject.party.listen(20)
    await until(() => got.marks.length > 0, subject.patienceMs, 'the mark')
    expect(got.marks).toEqual(['one'])
  },

  async 'is not congested while the peer reads'(subject) {
    attached(subject)
    subject.leg.play(sine(500, 200))
    expect(subject.leg.congested).toBe(false)
  },

  async 'ends for the first reason; close can be called again and waits'(subject) {
    const { ends } = attached(subject)
    await Promise.all([subject.leg.close({ kind: 'unused' }), subject.leg.close(local)])
    await subject.leg.close({ kind: 'parent-closed' })
    await until(() => ends.length > 0, subject.patienceMs, 'the end')
    expect(ends).toEqual([{ kind: 'unused' }])
  },

  async 'ends when the participant hangs up'(subject) {
    const { ends } = attached(subject)
    subject.party.hangUp()
    await until(() => ends.length > 0, subject.patienceMs, 'the end')
    expect(ends).toEqual([{ kind: 'hangup', by: 'remote' }])
    await subject.leg.close(local)
  },

  async 'ends as failed when the peer disappears without closing'(subject) {
    const { ends } = attached(subject)
    subject.party.vanish()
    await until(() => ends.length > 0, subject.patienceMs, 'the end')
    expect(ends).toMatchObject([{ kind: 'failed', error: { code: 'LEG_LOST' } }])
    await subject.leg.close(local)
  },

  async 'delivers and plays nothing after its end, without an error'(subject) {
    const got = attached(subject)
    const { leg, party } = subject
    party.say(sine(500, 100))
    await until(() => got.loud(500) > 0, subject.patienceMs, 'speech')
    leg.play(sine(500, 20))
    leg.mark('before')
    const closed = leg.close(local)
    const { frames, marks, keys } = got
    const known = [frames.length, marks.length, keys.length]
    party.say(sine(500, 100))
    party.press('5')
    leg.play(sine(1_500, 100))
    leg.mark('after')
    leg.flush()
    await closed
    await party.listen(150)
    expect([frames.length, marks.length, keys.length]).toEqual(known)
    expect(heardMs(party.heard(), 1_500)).toBe(0)
  },
}
