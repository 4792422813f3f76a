import { expect, test } from 'vitest'
import { LegProbe, levelOf, WindowSamples } from '../../bench/legs/probe.ts'

const LOUD = levelOf(new Uint8Array(320).fill(0x20))
const MESSAGE_MS = 40
/** 60 ms. */
const SILENCE = new Int16Array(960)
const SPEECH = new Int16Array(960).fill(3_000)

/** A leg that speaks from time 0; its fragments of 60 ms reach the service `lateMs` after their last frame is due. */
function leg() {
  const window = new WindowSamples()
  const probe = new LegProbe(window, () => true)
  probe.spoke(0, 0, 0)
  let samples = 0
  return {
    window,
    probe,
    fragment(lateMs: number, pcm = SILENCE): number {
      samples += pcm.length
      const now = (samples / 320 - 1) * 20 + lateMs
      probe.arrived(samples, pcm, now)
      return now
    },
  }
}

test('measures the uplink from the last frame of a fragment', () => {
  const { window, fragment } = leg()
  for (const late of [1, 2, 3]) fragment(late)
  expect(window.uplink.summary()).toMatchObject({ count: 3, p50: 2, max: 3 })
  expect(window.uplinkOverPlayback.summary().count).toBe(0)
})

test('counts fragments apart while a translation plays or its echo is possible', () => {
  const { window, probe, fragment } = leg()
  let now = fragment(1)
  probe.answered(now)
  probe.heard(LOUD, MESSAGE_MS, now + 2)
  const echoUntil = now + 2 + 40 + 1_400
  for (let due = now; due < echoUntil - 60; due += 60) now = fragment(300)
  expect(window.uplinkOverPlayback.summary()).toMatchObject({ p50: 300, max: 300 })
  const { count } = window.uplinkOverPlayback.summary()
  for (let n = 0; n < 5; n++) fragment(1)
  expect(window.uplinkOverPlayback.summary().count).toBeLessThanOrEqual(count + 1)
  expect(window.uplink.summary()).toMatchObject({ p50: 1, max: 1 })
})

test('does not take silence from the bridge for playback', () => {
  const { window, probe, fragment } = leg()
  probe.heard(levelOf(new Uint8Array(160).fill(0xff)), 20, fragment(1))
  fragment(1)
  expect(window.uplink.summary().count).toBe(2)
})

test('counts underruns and measures the longest', () => {
  const { window, probe } = leg()
  for (const now of [0, 40, 85, 130, 200]) probe.heard(LOUD, MESSAGE_MS, now)
  expect(window.gaps).toBe(3)
  expect(window.longestGapMs).toBe(30)
})

test.each([
  [60, 42],
  [180, 162],
])(
  'measures when the end of speech is known, with fragments of %i ms: up to %i ms later',
  (fragmentMs, most) => {
    const { window, fragment } = leg()
    const silence = new Int16Array(fragmentMs * 16)
    for (let n = 0; n < 20; n++) fragment(2, SPEECH)
    for (let ms = 0; ms < 1_000; ms += fragmentMs) fragment(2, silence)
    // The 25th frame of silence is somewhere in a fragment.
    const { count, max } = window.speechEnd.summary()
    expect(count).toBe(1)
    expect(max).toBeLessThanOrEqual(most)
    expect((max - 2) % 20).toBe(0)
  },
)
