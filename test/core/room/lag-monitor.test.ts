import { describe, expect, test } from 'vitest'
import type { LagEvent } from '../../../src/core/model/events.ts'
import { rooms } from '../../support/relay/rooms.ts'

/** Bob and Carl hear Anna in Spanish; she talks faster than her translation plays. */
async function setUp() {
  const r = await rooms()
  r.join('anna', { speaks: 'en-us', original: 'off' })
  r.join('bob', { hears: 'es-es', original: 'off' })
  r.join('carl', { hears: 'es-es', original: 'off' })
  await r.run(100)
  const answer = (count: number, ms: number) => {
    for (let n = 0; n < count; n++) r.answer('en-us', 'es-es', 1_000, ms, `${performance.now()}.${n}`)
  }
  return { ...r, answerAll: answer }
}

describe('the lag', () => {
  test('is reported once per second for each speaker and listener during playback, and once at the end', async () => {
    const r = await setUp()
    const seen: (LagEvent & { at: number })[] = []
    r.relay.observer.on('lag', event => seen.push({ ...event, at: r.clock.now() }))
    await r.run(5_000)
    expect(seen).toEqual([])
    r.answerAll(3, 4_000)
    await r.run(15_000)
    for (const listener of ['bob', 'carl']) {
      const mine = seen.filter(event => event.listener === listener)
      expect(mine.length).toBeGreaterThan(8)
      expect(mine.length).toBeLessThan(13)
      for (const [n, { at }] of mine.entries())
        if (n > 0) expect(Math.abs(at - mine[n - 1]!.at - 1_000)).toBeLessThan(0.9)
      expect(mine[0]).toMatchObject({ room: 'r', speaker: 'anna' })
      // The third utterance waits for two of 4 s; the delay is made up gradually.
      expect(mine[0]!.lagMs).toBeGreaterThan(4_500)
      expect(mine[0]!.lagMs).toBeLessThan(8_000)
      expect(mine[0]!.backlogMs).toBeGreaterThan(8_000)
      expect(Math.max(...mine.map(({ factor }) => factor))).toBe(1.25)
      expect(mine.some(({ trimming }) => trimming)).toBe(true)
      expect(mine.at(-1)).toMatchObject({ lagMs: 0, backlogMs: 0, factor: 1, trimming: false })
    }
    expect(seen.some(({ listener }) => listener === 'anna')).toBe(false)
    await r.relay.close()
  })

  test('is counted without observers: distribution, currently late translations and time saved', async () => {
    const r = await setUp()
    const { metrics } = r.relay
    r.answerAll(3, 4_000)
    await r.run(3_000)
    expect(metrics.lateNow).toBe(2)
    expect(metrics.lagNowMs).toBeGreaterThan(4_000)
    await r.run(12_000)
    expect([metrics.lateNow, metrics.lagNowMs]).toEqual([0, 0])
    expect(metrics.lagMs.count).toBeGreaterThan(16)
    expect(metrics.lagMs.countUpTo(4_500)).toBeLessThan(metrics.lagMs.count)
    // Two listeners, 12 s each, mostly 25 % faster.
    expect(metrics.timeCompressedMs).toBeGreaterThan(2 * 1_200)
    expect(metrics.timeCompressedMs).toBeLessThan(2 * 2_400)
    // A participant alone in a room has no lag.
    r.answerAll(3, 4_000)
    await r.run(1_500)
    expect(metrics.lateNow).toBe(2)
    await r.relay.close()
    expect([metrics.lateNow, metrics.lagNowMs]).toEqual([0, 0])
  })

  test('is separate for a listener who joined later', async () => {
    const r = await setUp()
    const seen: LagEvent[] = []
    r.relay.observer.on('lag', event => seen.push(event))
    r.answerAll(2, 5_000)
    await r.run(1_000)
    r.join('dora', { hears: 'es-es', original: 'off' })
    await r.run(500)
    r.answerAll(1, 2_000)
    await r.run(1_000)
    const last = (listener: string) => seen.findLast(event => event.listener === listener)
    expect(last('bob')!.lagMs).toBeGreaterThan(4_000)
    expect(last('dora')!.lagMs).toBeLessThan(100)
    await r.relay.close()
  })
})
