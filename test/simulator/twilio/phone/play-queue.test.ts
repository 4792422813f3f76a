import { expect, test } from 'vitest'
import { PlayQueue } from '../../../../simulator/twilio/phone/play-queue.ts'

test('plays audio in order at 8 bytes per millisecond', () => {
  const queue = new PlayQueue()
  expect(queue.play(1000, 160)).toBe(1000)
  expect(queue.play(1001, 320)).toBe(1020)
  expect(queue.play(1002, 8)).toBe(1060)
  expect(queue.dryAt).toBe(1061)
  expect(queue.play(2000, 160)).toBe(2000)
})

test('returns a mark when everything before it has been played', () => {
  const queue = new PlayQueue()
  queue.play(0, 160)
  expect(queue.mark(0, 'a')).toBe(false)
  queue.play(0, 160)
  expect(queue.mark(0, 'b')).toBe(false)
  expect(queue.mark(0, 'c')).toBe(false)
  expect(queue.advance(19.9)).toEqual([])
  expect(queue.advance(20)).toEqual(['a'])
  expect(queue.advance(20)).toEqual([])
  expect(queue.advance(40)).toEqual(['b', 'c'])
  expect(queue.report()).toMatchObject({ marks: 3, marksPlayed: 3, unconfirmedMarks: [] })
})

test('returns a mark with nothing before it at once', () => {
  const queue = new PlayQueue()
  expect(queue.mark(0, 'a')).toBe(true)
  queue.play(0, 160)
  expect(queue.mark(20, 'b')).toBe(true)
})

test('a mark never overtakes another outstanding mark', () => {
  const queue = new PlayQueue()
  queue.play(0, 160)
  queue.mark(0, 'a')
  expect(queue.mark(25, 'b')).toBe(false)
  expect(queue.advance(25)).toEqual(['a', 'b'])
})

test('clear discards the audio and returns the marks in order; later audio is new', () => {
  const queue = new PlayQueue()
  queue.play(0, 1600)
  queue.mark(0, 'a')
  queue.play(0, 1600)
  queue.mark(0, 'b')
  expect(queue.clear()).toEqual(['a', 'b'])
  expect(queue.advance(1000)).toEqual([])
  expect(queue.mark(60, 'c')).toBe(true)
  expect(queue.play(60, 160)).toBe(60)
  expect(queue.report()).toMatchObject({ clears: 1, marksPlayed: 1, gapCount: 0 })
  expect(queue.clear()).toEqual([])
})

test('silence of up to 400 ms within audio is a gap; a longer one ends it', () => {
  const queue = new PlayQueue()
  queue.play(0, 160)
  queue.play(50, 160)
  queue.play(500, 160)
  expect(queue.report()).toMatchObject({ gapCount: 1, gapMs: 30, gaps: [{ at: 20, ms: 30 }] })
})
