import { expect, test } from 'vitest'
import { LegProbe, levelOf, WindowSamples } from '../../../bench/probe.ts'

const LOUD = levelOf(new Uint8Array(320).fill(0x20))
const MESSAGE_MS = 40
const FRAGMENT = 960

/** A leg that speaks from time 0; its fragments of 60 ms reach the service `lateMs` after their last frame is due. */
function leg() {
  const window = new WindowSamples()
  const probe = new LegProbe(window, () => true)
  probe.spoke(0, 0, 0)
  let samples = 0
  return {
    window,
    probe,
    fragment(lateMs: number): number {
      samples += FRAGMENT
      const now = (samples / 320 - 1) * 20 + lateMs
      probe.arrived(samples, now)
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
