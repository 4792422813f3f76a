import { expect, test } from 'vitest'
import { StreamPacer } from '../../../../src/bridges/phone/leg/stream-pacer.ts'

const FRAME = 320

/** Frames with these values. */
function audio(...values: readonly number[]): Int16Array {
  return Int16Array.from(values.flatMap(value => Array(FRAME).fill(value)))
}

function open() {
  const events: (number | string)[] = []
  const pacer = new StreamPacer()
  /** What a leg does every 20 ms. */
  const tick = (now: number, rate?: number) => {
    for (let pcm = pacer.next(now, rate); pcm; pcm = pacer.next(now, rate)) events.push(pcm[FRAME - 1]!)
    events.push(...pacer.played(now))
  }
  return { pacer, events, tick }
}

test('sends one frame every 20 ms, in order', () => {
  const { pacer, events, tick } = open()
  pacer.play(audio(1, 2, 3))
  tick(1_000)
  expect(events).toEqual([1])
  tick(1_019)
  expect(events).toEqual([1])
  tick(1_020)
  tick(1_040)
  expect(events).toEqual([1, 2, 3])
})

test('catches up after a late timer, so that the pace is kept', () => {
  const { pacer, events, tick } = open()
  pacer.play(audio(1, 2, 3, 4, 5))
  tick(0)
  tick(65)
  expect(events).toEqual([1, 2, 3, 4])
  tick(80)
  expect(events).toEqual([1, 2, 3, 4, 5])
})

test('does not rush after a stall', () => {
  const { pacer, events, tick } = open()
  pacer.play(audio(...Array(50).keys()))
  tick(0)
  tick(900)
  expect(events).toEqual([0, 1])
})

test('confirms a mark once the frame before it had its time', () => {
  const { pacer, events, tick } = open()
  pacer.mark('at once')
  pacer.play(audio(1, 2))
  pacer.mark('end')
  tick(0)
  tick(20)
  expect(events).toEqual([1, 'at once', 2])
  tick(40)
  expect(events).toEqual([1, 'at once', 2, 'end'])
})

test('drops queued frames and their marks when flushed', () => {
  const { pacer, events, tick } = open()
  pacer.play(audio(1, 2, 3))
  pacer.mark('never')
  tick(0)
  pacer.flush()
  pacer.play(audio(9))
  pacer.mark('later')
  for (const now of [20, 40, 60]) tick(now)
  expect(events).toEqual([1, 9, 'later'])
})

test('keeps the newest ten seconds', () => {
  const { pacer, events, tick } = open()
  for (let second = 0; second < 11; second++) pacer.play(audio(...Array(50).fill(second)))
  expect(pacer.queuedMs).toBe(10_000)
  tick(0)
  expect(events).toEqual([1])
})

test('sends only whole frames of audio that was stretched or shortened', () => {
  const { pacer, events, tick } = open()
  pacer.play(audio(1, 2).subarray(1))
  pacer.play(audio(3).subarray(0, 1))
  tick(0)
  tick(20)
  expect(events).toEqual([2, 3])
  pacer.play(new Int16Array(FRAME + 1).fill(4))
  tick(40)
  tick(60)
  expect(events).toEqual([2, 3, 4])
})

test('fills the frame before a mark up with silence, and forgets it when flushed', () => {
  const { pacer, events, tick } = open()
  pacer.play(new Int16Array(10).fill(5))
  pacer.mark('end')
  tick(0)
  tick(20)
  expect(events).toEqual([0, 'end'])
  pacer.play(new Int16Array(10).fill(6))
  pacer.flush()
  pacer.play(audio(7))
  tick(40)
  expect(events).toEqual([0, 'end', 7])
})

test('sends at the pace of a receiver whose clock is slow', () => {
  const { pacer, events, tick } = open()
  pacer.play(audio(...Array(50).keys()))
  for (let now = 0; now < 1_000; now += 20) tick(now, 0.25)
  expect(events.length).toBe(40)
})
