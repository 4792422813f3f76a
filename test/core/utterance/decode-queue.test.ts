import { expect, test } from 'vitest'
import { DecodeQueue } from '../../../src/core/utterance/decode-queue.ts'

/** A queue whose slices take 0.4 ms; `later` has what it defers. */
function setUp() {
  let now = 0
  const later: (() => void)[] = []
  const errors: unknown[] = []
  const served: string[] = []
  const queue = new DecodeQueue({
    now: () => now,
    defer: task => void later.push(task),
    failed: error => errors.push(error),
  })
  /** A job of `slices`, each of which adds ten frames to what its listeners have. */
  const job = (name: string, slices: number, ahead = 0) => {
    const made = {
      ahead,
      closed: false,
      decode() {
        now += 0.4
        served.push(name)
        made.ahead += 10
        return --slices > 0
      },
      close() {
        made.closed = true
      },
    }
    queue.add(made)
    return made
  }
  return { queue, job, served, later, errors, took: () => now }
}

test('decodes the first slice at once, and the rest in turns of less than 2 ms between other events', () => {
  const { queue, job, served, later, took } = setUp()
  job('a', 10)
  expect(served).toEqual(['a'])
  for (let turns = 0; later.length > 0; turns++) {
    expect(later).toHaveLength(1)
    expect(turns).toBeLessThan(4)
    const before = took()
    later.shift()!()
    expect(took() - before).toBeLessThan(2)
  }
  expect(served).toHaveLength(10)
  expect(queue.size).toBe(0)
})

test('of many that arrive at the same time, the first of each is decoded within the turn, the others in the next', () => {
  const { job, served, later, took } = setUp()
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) job(name, 1)
  expect(served).toEqual(['a', 'b', 'c', 'd'])
  expect(took()).toBeLessThan(2)
  expect(later).toHaveLength(1)
  later.shift()!()
  expect(served).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  expect(later).toHaveLength(0)
})

test('serves those first who have least to play', () => {
  const { queue, job, served } = setUp()
  job('full', 9, 500)
  job('some', 3, 20)
  job('empty', 4, 0)
  queue.tick()
  queue.tick()
  expect(served).toEqual([
    'full',
    'some',
    'empty',
    'empty',
    'empty',
    'some',
    'empty',
    'some',
    'full',
    'full',
    'full',
  ])
})

test('a tick is a turn as well, however busy the event loop is', () => {
  const { queue, job, served } = setUp()
  job('a', 6)
  queue.tick()
  queue.tick()
  expect(served).toHaveLength(6)
})

test('an exception ends only its own job', () => {
  const { queue, job, errors, served } = setUp()
  const fault = new Error('unreadable')
  const bad = job('bad', 9)
  bad.decode = () => {
    throw fault
  }
  job('good', 2)
  queue.tick()
  expect(errors).toEqual([fault])
  expect(bad.closed).toBe(true)
  expect(served).toEqual(['bad', 'good', 'good'])
  expect(queue.size).toBe(0)
})

test('closes all jobs when it is cleared', () => {
  const { queue, job } = setUp()
  const jobs = [job('a', 9), job('b', 9)]
  queue.clear()
  expect(queue.size).toBe(0)
  expect(jobs.map(({ closed }) => closed)).toEqual([true, true])
})
