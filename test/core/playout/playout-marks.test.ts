import { expect, test } from 'vitest'
import { PlayoutMarks } from '../../../src/core/playout/mark-tracker.ts'

test('waits for 200 marks; one more drops the oldest', () => {
  const marks = new PlayoutMarks()
  const seen: string[] = []
  const add = (n: number) =>
    marks.add(
      `m${n}`,
      () => seen.push(`heard ${n}`),
      why => seen.push(`${why} ${n}`),
    )
  for (let n = 0; n < 200; n++) add(n)
  expect([seen, marks.unconfirmed]).toEqual([[], 200])
  add(200)
  expect([seen, marks.unconfirmed]).toEqual([['overdue 0'], 200])
  marks.confirm('m0')
  marks.confirm('m1')
  expect(seen).toEqual(['overdue 0', 'heard 1'])
})

test('unsent marks never expire, sent ones after 10 s', () => {
  const marks = new PlayoutMarks()
  const seen: string[] = []
  expect(marks.take(0)).toEqual([])
  marks.add(
    'a',
    () => {},
    why => seen.push(why),
  )
  marks.check(1e9)
  expect([marks.pending, seen]).toEqual([true, []])
  expect(marks.take(5_000)).toEqual(['a'])
  marks.check(14_999)
  expect([marks.pending, seen]).toEqual([false, []])
  marks.check(15_000)
  expect(seen).toEqual(['overdue'])
})
