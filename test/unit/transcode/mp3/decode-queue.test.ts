import { beforeAll, describe, expect, test } from 'vitest'
import { RelayMetrics } from '../../../../src/core/model/relay-metrics.ts'
import { DecodeQueue, Utterance } from '../../../../src/core/utterance/utterance.ts'
import { Mp3Maker } from '../../../../src/simulator/service/tone-mp3.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { Mp3Pool } from '../../../../src/transcode/mp3/decoder-pool.ts'

let maker: Mp3Maker
beforeAll(async () => {
  maker = await Mp3Maker.create()
})

async function setUp(decoders = 64) {
  const pool = new Mp3Pool({ max: decoders })
  await pool.ready()
  const queue = new DecodeQueue()
  const metrics = new RelayMetrics()
  const utterance = (id: string, ms: number, hz = 1_000) => {
    const made = new Utterance(id, 0, pool, metrics)
    made.write(maker.tone(hz, ms))
    queue.add(made)
    return made
  }
  return { pool, queue, metrics, utterance }
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
    let before = long.audio.durationMs
    expect(before).toBeLessThan(500)
    let ticks = 0
    while (queue.size > 0) {
      queue.tick()
      ticks++
      // 16 MP3 frames of 36 ms, and the decoder's delay.
      expect(long.audio.durationMs - before).toBeLessThanOrEqual(18 * 36)
      before = long.audio.durationMs
    }
    expect(ticks).toBeGreaterThan(20)
    expect(long.audio.complete).toBe(true)
    expect(Math.abs(long.audio.durationMs - 20_000)).toBeLessThan(120)
    expect(loudness(all(long), 1_000, 16_000)).toBeGreaterThan(6_000)
  })

  test('keeps up with all of many voices equally', async () => {
    const { queue, utterance } = await setUp()
    const many = Array.from({ length: 60 }, (_, n) => utterance(String(n), 3_000))
    for (const each of many) each.end()
    queue.tick()
    const after = many.map(each => each.audio.durationMs)
    // At least real time for each voice.
    expect(Math.min(...after)).toBeGreaterThan(300)
    expect(Math.max(...after) - Math.min(...after)).toBeLessThan(50)
    while (queue.size > 0) queue.tick()
    for (const each of many) expect(each.audio.complete).toBe(true)
  })

  test('continues with fewer decoders than voices', async () => {
    const { queue, utterance, pool } = await setUp(2)
    const many = Array.from({ length: 8 }, (_, n) => utterance(String(n), 1_000, 500 + 100 * n))
    for (const each of many) each.end()
    for (let n = 0; n < 500 && queue.size > 0; n++) queue.tick()
    expect(queue.size).toBe(0)
    for (const [n, each] of many.entries())
      expect(loudness(all(each), 500 + 100 * n, 16_000)).toBeGreaterThan(5_000)
    pool.close()
  })

  test('waits for the next chunk of a voice', async () => {
    const { queue, utterance } = await setUp()
    const made = utterance('slow', 200)
    for (let n = 0; n < 10; n++) queue.tick()
    expect(queue.size).toBe(1)
    expect(made.audio.complete).toBe(false)
    made.write(maker.tone(1_000, 200))
    made.end()
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
    made.write(maker.tone(1_000, 200))
    expect(made.audio.durationMs).toBe(durationMs)
    expect(all(made).length).toBeGreaterThan(0)
  })

  test('stops at the maximum utterance length of two minutes', async () => {
    const { queue, utterance } = await setUp()
    const endless = utterance('endless', 1_000)
    for (let n = 0; n < 200; n++) {
      endless.write(maker.tone(1_000, 1_000))
      queue.tick()
      queue.tick()
    }
    expect(queue.size).toBe(0)
    expect(endless.audio.durationMs).toBeLessThan(121_000)
  })

  test('counts invalid audio once and plays no sound for it', async () => {
    const { pool, queue, metrics } = await setUp()
    const made = new Utterance('junk', 0, pool, metrics)
    made.write(Buffer.from('not an mp3 at all, but long enough to be looked at'))
    queue.add(made)
    made.end()
    made.end()
    for (let n = 0; n < 5; n++) queue.tick()
    made.close()
    expect(made.audio.frames).toBe(0)
    expect(metrics.mp3InvalidBytes).toBe(50)
  })
})
