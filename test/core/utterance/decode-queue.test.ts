import { beforeAll, describe, expect, test } from 'vitest'
import { RelayMetrics } from '../../../src/core/model/relay-metrics.ts'
import { DecodeQueue } from '../../../src/core/utterance/decode-queue.ts'
import { Utterance } from '../../../src/core/utterance/utterance.ts'
import { Mp3Maker } from '../../../src/simulator/service/scripted-answers.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { Mp3Pool } from '../../../src/transcode/mp3/decoder-pool.ts'

let maker: Mp3Maker
beforeAll(async () => {
  maker = await Mp3Maker.create()
})

async function setUp(decoders = 64) {
  const pool = new Mp3Pool({ max: decoders })
  await pool.ready()
  const queue = new DecodeQueue({ now: () => 0 })
  const metrics = new RelayMetrics()
  const utterance = (id: string, ms: number, hz = 1_000) => {
    const made = new Utterance(id, 0, pool, metrics)
    made.audio.write(maker.tone(hz, ms))
    made.grown()
    queue.add(made)
    return made
  }
  return { pool, queue, metrics, utterance }
}

/** Returns a listener that reads all audio decoded so far, and what it has read. */
function listener(utterance: Utterance) {
  const reader = utterance.audio.reader()
  const frames: number[] = []
  const read = () => {
    while (reader.at < utterance.audio.frames) frames.push(...reader.next()!)
  }
  return { read, heard: () => Int16Array.from(frames) }
}

/** Returns all of its audio. */
function all(utterance: Utterance): Int16Array {
  const reader = utterance.audio.reader()
  const frames: number[] = []
  for (let frame = reader.next(); frame; frame = reader.next()) frames.push(...frame)
  reader.close()
  return Int16Array.from(frames)
}

describe('decoding', () => {
  test('spreads a long result over ticks, with a bounded amount in each', async () => {
    const { queue, utterance } = await setUp()
    const long = utterance('long', 20_000)
    long.end()
    const { read, heard } = listener(long)
    let before = long.audio.frames
    expect(before).toBeLessThan(25)
    let ticks = 0
    while (queue.size > 0) {
      queue.tick()
      ticks++
      // 16 MP3 frames of 36 ms, and the decoder's delay.
      expect((long.audio.frames - before) * 20).toBeLessThanOrEqual(18 * 36)
      before = long.audio.frames
      read()
    }
    expect(ticks).toBeGreaterThan(20)
    expect(long.audio.complete).toBe(true)
    expect(Math.abs(long.audio.durationMs - 20_000)).toBeLessThan(120)
    expect(heard().length / 16).toBeCloseTo(long.audio.durationMs, -2)
    expect(loudness(heard(), 1_000, 16_000)).toBeGreaterThan(6_000)
  })

  test('keeps up with all of many voices equally', async () => {
    const { queue, utterance } = await setUp()
    const many = Array.from({ length: 60 }, (_, n) => utterance(String(n), 3_000))
    for (const each of many) each.end()
    queue.tick()
    const after = many.map(each => each.audio.frames * 20)
    // At least real time for each voice.
    expect(Math.min(...after)).toBeGreaterThan(300)
    expect(Math.max(...after) - Math.min(...after)).toBeLessThan(50)
    const listeners = many.map(listener)
    while (queue.size > 0) {
      queue.tick()
      for (const { read } of listeners) read()
    }
    for (const each of many) expect(each.audio.complete).toBe(true)
  })

  test('ends each turn in time, and starts the next with those who had to wait', () => {
    let now = 0
    const queue = new DecodeQueue({ now: () => now, defer: () => {} })
    const served: number[] = []
    for (let n = 0; n < 10; n++)
      queue.add({
        due: n !== 4,
        urgent: false,
        scheduled: () => {},
        decode: () => {
          now += 0.4
          served.push(n)
          return n !== 5
        },
        close: () => {},
      })
    queue.tick()
    expect(now).toBeLessThan(2)
    expect(served).toEqual([0, 1, 2, 3])
    queue.tick()
    queue.tick()
    expect(served).toEqual([0, 1, 2, 3, 5, 6, 7, 8, 9, 0, 1, 2])
    expect(queue.size).toBe(9)
  })

  test('serves those first whose listeners need audio soon', () => {
    let now = 0
    const queue = new DecodeQueue({ now: () => now, defer: () => {} })
    const served: string[] = []
    const job = (name: string, urgent: boolean) =>
      queue.add({
        due: true,
        urgent,
        scheduled: () => {},
        decode: () => {
          now += 0.4
          served.push(name)
          return true
        },
        close: () => {},
      })
    for (const name of ['a', 'b', 'c', 'd', 'e']) job(name, false)
    for (const name of ['f', 'g']) job(name, true)
    queue.tick()
    expect(served).toEqual(['f', 'g', 'a', 'b'])
    queue.tick()
    expect(served.slice(4)).toEqual(['f', 'g', 'c', 'd'])
  })

  test('takes further turns in the same tick while jobs are due, within a limit', () => {
    let now = 0
    let deferred: (() => void)[] = []
    const queue = new DecodeQueue({ now: () => now, defer: task => void deferred.push(task) })
    const left = Array.from({ length: 30 }, () => 1)
    for (const n of left.keys())
      queue.add({
        get due() {
          return left[n]! > 0
        },
        urgent: false,
        scheduled: () => {},
        decode: () => {
          now += 0.4
          left[n]!--
          return true
        },
        close: () => {},
      })
    const turns: number[] = []
    const run = () => {
      const begun = now
      return () => void turns.push(now - begun)
    }
    const first = run()
    queue.tick()
    first()
    while (deferred.length > 0) {
      expect(deferred.length).toBe(1)
      const [task] = deferred
      deferred = []
      const ended = run()
      task!()
      ended()
    }
    // 12 ms of work in turns of less than 2 ms each.
    expect(left.every(each => each === 0)).toBe(true)
    expect(Math.max(...turns)).toBeLessThan(2)
    for (const n of left.keys()) left[n] = 100
    queue.tick()
    let more = 0
    for (; deferred.length > 0 && more < 100; more++) deferred.shift()!()
    expect(more).toBe(7)
  })

  test('continues with fewer decoders than voices', async () => {
    const { queue, utterance, pool } = await setUp(2)
    const many = Array.from({ length: 8 }, (_, n) => utterance(String(n), 1_000, 500 + 100 * n))
    for (const each of many) each.end()
    const listeners = many.map(listener)
    for (let n = 0; n < 500 && queue.size > 0; n++) {
      queue.tick()
      for (const { read } of listeners) read()
    }
    expect(queue.size).toBe(0)
    for (const [n, { heard }] of listeners.entries())
      expect(loudness(heard(), 500 + 100 * n, 16_000)).toBeGreaterThan(5_000)
    pool.close()
  })

  test('waits for the next chunk of a voice', async () => {
    const { queue, utterance } = await setUp()
    const made = utterance('slow', 200)
    const { read } = listener(made)
    for (let n = 0; n < 10; n++) queue.tick()
    expect(queue.size).toBe(1)
    expect(made.audio.complete).toBe(false)
    made.audio.write(maker.tone(1_000, 200))
    made.grown()
    made.end()
    read()
    queue.tick()
    expect(queue.size).toBe(0)
    expect(made.audio.durationMs).toBeGreaterThan(350)
  })

  test('ends with the queue; decoded audio remains readable', async () => {
    const { queue, utterance } = await setUp()
    const made = utterance('cut', 5_000)
    queue.clear()
    expect(queue.size).toBe(0)
    expect(made.audio.complete).toBe(true)
    const { durationMs } = made.audio
    queue.tick()
    made.audio.write(maker.tone(1_000, 200))
    made.grown()
    expect(made.audio.durationMs).toBe(durationMs)
    expect(all(made).length).toBeGreaterThan(0)
  })

  test('stops at the maximum utterance length of two minutes', async () => {
    const { queue, utterance } = await setUp()
    const endless = utterance('endless', 1_000)
    const { read } = listener(endless)
    for (let n = 0; n < 200; n++) {
      endless.audio.write(maker.tone(1_000, 1_000))
      endless.grown()
      queue.tick()
      queue.tick()
      read()
    }
    expect(queue.size).toBe(0)
    expect(endless.audio.durationMs).toBeLessThan(121_000)
  })

  test('counts invalid audio once and plays no sound for it', async () => {
    const { pool, queue, metrics } = await setUp()
    const made = new Utterance('junk', 0, pool, metrics)
    made.audio.write(Buffer.from('not an mp3 at all, but long enough to be looked at'))
    made.grown()
    queue.add(made)
    made.end()
    made.end()
    for (let n = 0; n < 5; n++) queue.tick()
    made.close()
    expect(made.audio.frames).toBe(0)
    expect(metrics.mp3InvalidBytes).toBe(50)
  })
})
