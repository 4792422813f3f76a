import { expect, test } from 'vitest'
import { Recording } from '../../../../src/simulator/twilio/phone/recording.ts'

/** µ-law 0x8F is 16764. */
const LOUD = 16_764
const loud = (ms: number) => Buffer.alloc(ms * 8, 0x8f).toString('base64')

/** The loud stretches of a recording, in milliseconds. */
function stretches(pcm: Int16Array): [number, number][] {
  const found: [number, number][] = []
  for (let i = 0; i < pcm.length; i++) {
    if (pcm[i] !== LOUD) continue
    const last = found.at(-1)
    if (last && last[1] === i / 8) last[1] = (i + 1) / 8
    else found.push([i / 8, (i + 1) / 8])
  }
  return found
}

test('places every piece at its time, with silence around it', () => {
  const recording = new Recording(1000)
  recording.add(1020, 160, loud(20))
  recording.add(1040, 160, loud(20))
  recording.add(1100, 80, loud(10))
  const pcm = recording.pcm(1200)
  expect(pcm.length).toBe(1600)
  expect(stretches(pcm)).toEqual([
    [20, 60],
    [100, 110],
  ])
})

test('excludes audio that is still to come', () => {
  const recording = new Recording(0)
  recording.add(0, 8000, loud(1000))
  expect(stretches(recording.pcm(300))).toEqual([[0, 300]])
  expect(recording.pcm(-5).length).toBe(0)
})

test('a cut removes unheard audio', () => {
  const recording = new Recording(0)
  for (let n = 0; n < 10; n++) recording.add(n * 20, 160, loud(20))
  recording.cut(70)
  recording.add(90, 160, loud(20))
  expect(stretches(recording.pcm(500))).toEqual([
    [0, 70],
    [90, 110],
  ])
})

test('pieces never overlap, for any fractions', () => {
  const recording = new Recording(0.3)
  for (let n = 0; n < 50; n++) recording.add(100.333 + n * 20, 160, loud(20))
  expect(stretches(recording.pcm(2000))).toEqual([[100, 1100]])
})

test('silence is not audible', () => {
  const recording = new Recording(0)
  recording.add(0, 160, Buffer.alloc(160, 0xff).toString('base64'))
  recording.add(20, 160, Buffer.alloc(160, 0xfb).toString('base64'))
  expect(recording.audibleUntil).toBe(Number.NEGATIVE_INFINITY)
  recording.add(40, 160, loud(20))
  recording.add(60, 160, Buffer.alloc(160, 0xff).toString('base64'))
  expect(recording.audibleUntil).toBe(60)
  recording.cut(50)
  expect(recording.audibleUntil).toBe(50)
})

test('consecutive intervals of any length add up to the whole', () => {
  const recording = new Recording(1_000)
  for (const at of [1_020, 1_040, 1_101.3, 1_300]) recording.add(at, 160, loud(20))
  const parts: number[] = []
  // Not whole samples: none is lost or doubled between two intervals.
  for (let at = 1_000; at < 1_400; at += 33.37)
    parts.push(...recording.between(at, Math.min(1_400, at + 33.37)))
  expect(parts).toEqual([...recording.pcm(1_400)])
  expect(stretches(recording.between(1_030, 1_050))).toEqual([[0, 20]])
  expect(recording.between(1_050, 1_050).length).toBe(0)
})

test('forgets only the audio before a time', () => {
  const recording = new Recording(0)
  for (let n = 0; n < 10; n++) recording.add(n * 20, 160, loud(20))
  recording.forget(90)
  expect(stretches(recording.pcm(300))).toEqual([[80, 200]])
  recording.forget(10_000)
  expect(stretches(recording.pcm(300))).toEqual([])
  recording.add(10_020, 160, loud(20))
  expect(stretches(recording.between(10_000, 10_100))).toEqual([[20, 40]])
})
