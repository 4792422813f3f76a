import { describe, expect, test } from 'vitest'
import { MediaSorter } from '../../../../src/bridges/phone/leg/media-sorter.ts'

function open() {
  const heard: number[] = []
  const counters = { reordered: 0, late: 0 }
  const buffer = new MediaSorter(counters)
  const release = (now: number) => {
    for (let next = buffer.next(now); next; next = buffer.next(now)) {
      // The payload belongs to the message.
      expect(Buffer.from(next.payload as Buffer)[0]).toBe((next.timestampMs / 20) % 256)
      heard.push(next.timestampMs / 20 + 1)
    }
  }
  // As a dialect does: one buffer for all messages.
  const shared = Buffer.alloc(160)
  const push = (sequence: number, now: number) => {
    shared.fill((sequence - 1) % 256)
    buffer.push({ sequence, timestampMs: (sequence - 1) * 20, payload: shared }, now)
    release(now)
  }
  return { counters, heard, push, release }
}

describe('the reorder buffer', () => {
  test('waits 100 ms for one that is lost, and no longer', () => {
    const { counters, heard, push } = open()
    push(1, 0)
    for (const sequence of [3, 4, 5, 6, 7]) push(sequence, (sequence - 1) * 20)
    expect(heard).toEqual([1])
    push(8, 140)
    expect(heard).toEqual([1, 3, 4, 5, 6, 7, 8])
    push(2, 150)
    expect(heard.at(-1)).toBe(2)
    expect(counters.late).toBe(1)
  })

  test('releases what waits when no more messages arrive', () => {
    const { heard, push, release } = open()
    push(1, 0)
    push(3, 20)
    release(119)
    expect(heard).toEqual([1])
    release(120)
    expect(heard).toEqual([1, 3])
  })

  test('sorts the first messages, too', () => {
    const { heard, push } = open()
    push(2, 0)
    push(1, 20)
    push(3, 40)
    expect(heard).toEqual([1, 2, 3])
  })

  test('starts at any number, and again when the numbers do', () => {
    const { heard, push } = open()
    push(5_000, 0)
    push(5_001, 20)
    push(1, 40)
    push(2, 60)
    expect(heard).toEqual([5_000, 5_001, 1, 2])
  })

  test('is bounded', () => {
    const { heard, push } = open()
    push(1, 0)
    for (let sequence = 3; sequence < 200; sequence++) push(sequence, 1)
    expect(heard.length).toBeGreaterThan(160)
  })
})
