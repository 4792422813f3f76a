import { describe, expect, test } from 'vitest'
import type { LagEvent } from '../../src/core/observer.ts'
import { rooms } from '../helpers/rooms.ts'

/** Anna is heard by Bob and Carl in Spanish, and talks faster than she can be translated. */
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
  test('is told once a second for each speaker and listener while there is something to hear, and once when it is over', async () => {
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
      // The third waits for two of 4 s; by and by that is made up for.
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

  test('is counted whether somebody looks or not: a distribution, what is late now, and the time won', async () => {
    const r = await setUp()
    const { metrics } = r.relay
    r.answerAll(3, 4_000)
    await r.run(3_000)
    expect(metrics.lateNow).toBe(2)
    expect(metrics.lagNowMs).toBeGreaterThan(4_000)
    await r.run(12_000)
    expect([metrics.lateNow, metrics.lagNowMs]).toEqual([0, 0])
    expect(metrics.lagMs.count).toBeGreaterThan(16)
    expect(metrics.lagMs.max).toBeGreaterThan(4_500)
    // Two listeners, 12 s each, mostly a quarter faster.
    expect(metrics.hastenedMs).toBeGreaterThan(2 * 1_200)
    expect(metrics.hastenedMs).toBeLessThan(2 * 2_400)
    // Who is alone has nobody to be late for.
    r.answerAll(3, 4_000)
    await r.run(1_500)
    expect(metrics.lateNow).toBe(2)
    await r.relay.close()
    expect([metrics.lateNow, metrics.lagNowMs]).toEqual([0, 0])
  })

  test('of one who came later is their own', async () => {
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
