import { afterEach, describe, expect, test } from 'vitest'
import { browserServer } from '../../support/browser/browser-bridge-harness.ts'
import { sine } from '../../support/transcode/tone.ts'
import { until } from '../../support/until.ts'

let b: Awaited<ReturnType<typeof browserServer>>
afterEach(() => b.close())

/**
 * Sends `message` repeatedly on a separate visit; returns the close code, after checking that other visits are
 * unaffected.
 */
async function closedFor(message: string | Buffer, times = 1): Promise<number> {
  b = await browserServer()
  const good = await b.talker()
  await good.hello()
  const bad = await b.talker()
  await bad.hello()
  for (let n = 0; n < times; n++) bad.socket.send(message)
  const code = await bad.expectClosed()
  good.send({ kind: 'ping', at: 1 })
  await good.expect('pong')
  expect(b.bridge.sessions).toBe(1)
  return code
}

describe('a page that violates the protocol', () => {
  test.each([
    ['text above the limit', 'x'.repeat(5_000), 1, 1009],
    ['audio above the limit', Buffer.alloc(8 + 640 * 11), 1, 1009],
    ['far more than any message', Buffer.alloc(100_000), 1, 1009],
    ['repeated invalid JSON', '{', 10, 1007],
    ['repeated audio of invalid length', Buffer.alloc(100), 10, 1007],
    ['a flood', '{"kind":"ping","at":1}', 400, 1008],
  ])('%s: its connection is closed', async (_, message, times, code) => {
    expect(await closedFor(message, times)).toBe(code)
  })

  test('is disconnected if it sends nothing', async () => {
    b = await browserServer()
    const silent = await b.talker()
    silent.say(sine(440, 100))
    await until(() => b.clock.pending > 0, 1_000, 'the deadline')
    b.clock.advance(5_000)
    expect(await silent.expectClosed()).toBe(4408)
    expect(b.relay.metrics.legsAdmitted).toBe(0)
  })

  test('repeated hello and unknown messages are ignored', async () => {
    b = await browserServer()
    const anna = await b.talker()
    await anna.hello()
    anna.send({ kind: 'hello', hears: 'en-us', alone: 'es-es' })
    anna.send({ kind: 'dance' })
    anna.send({ kind: 'mark', id: 77 })
    anna.send({ kind: 'ping', at: 5 })
    expect(await anna.expect('pong')).toEqual({ kind: 'pong', at: 5 })
    expect(b.bridge.legCounters()).toMatchObject({ ignored: 2, marksStale: 1 })
    expect(b.relay.legs).toBe(1)
  })

  test('changes above the rate limit are dropped', async () => {
    b = await browserServer()
    const anna = await b.talker()
    await anna.hello()
    for (let n = 0; n < 60; n++) anna.send({ kind: 'change', alone: n % 2 ? 'es-es' : 'fr-fr' })
    anna.send({ kind: 'ping', at: 5 })
    await anna.expect('pong')
    expect(b.bridge.legCounters().floodDropped).toBe(30)
    expect(b.translator.connections.length).toBeLessThan(40)
  })
})

describe('incoming audio', () => {
  test('fills gaps in the page clock with silence, drops repetitions and feeds silence to a silent page', async () => {
    b = await browserServer()
    const anna = await b.talker()
    await anna.hello()
    anna.say(sine(440, 100), 0)
    anna.say(sine(440, 100), 3_200)
    anna.say(sine(440, 100), 3_200)
    // After an hour without the page: a restart.
    anna.say(sine(440, 100), 3_600 * 16_000)
    anna.send({ kind: 'ping', at: 1 })
    await anna.expect('pong')
    expect(b.bridge.legCounters()).toMatchObject({
      framesIn: 20,
      gapsFilledMs: 100,
      duplicates: 5,
      pauses: 1,
    })
    expect(b.bridge.legs.values().next().value?.lostMs).toBe(100)
    await b.run(2_000)
    const { silenceFedMs } = b.bridge.legCounters()
    expect(silenceFedMs).toBeGreaterThanOrEqual(1_900)
    // Silence that was fed is not filled again.
    anna.say(sine(440, 100), 3_600 * 16_000 + 1_600 + 32_000)
    anna.send({ kind: 'ping', at: 2 })
    await anna.expect('pong', ({ at }) => at === 2)
    expect(b.bridge.legCounters().gapsFilledMs).toBeLessThanOrEqual(200)
  })

  test('drops audio faster than real time after a burst, and the visit continues', async () => {
    b = await browserServer()
    const anna = await b.talker()
    await anna.hello()
    anna.say(sine(440, 30_000))
    anna.send({ kind: 'ping', at: 1 })
    await anna.expect('pong')
    expect(b.bridge.legCounters()).toMatchObject({ framesIn: 750, floodDropped: 750 })
    expect(anna.closed).toBeUndefined()
  })

  test('delivers the newest 10 s after a stall, and drops and counts the rest', async () => {
    b = await browserServer()
    const anna = await b.talker()
    await anna.hello()
    anna.say(sine(440, 1_000))
    anna.send({ kind: 'ping', at: 1 })
    await anna.expect('pong')
    b.clock.advance(14_000)
    const before = b.bridge.legCounters()
    anna.say(sine(440, 14_000))
    anna.send({ kind: 'ping', at: 2 })
    await anna.expect('pong', ({ at }) => at === 2)
    const { framesIn, backlogDroppedMs, floodDropped } = b.bridge.legCounters()
    expect(framesIn - before.framesIn).toBeGreaterThanOrEqual(500)
    expect(framesIn - before.framesIn).toBeLessThanOrEqual(510)
    expect(backlogDroppedMs + (framesIn - before.framesIn) * 20).toBe(14_000)
    expect(floodDropped).toBe(0)
    expect(anna.closed).toBeUndefined()
    expect(b.bridge.legs.values().next().value?.lostMs).toBe(backlogDroppedMs)
  })

  test('pings a page without data, then drops it', async () => {
    b = await browserServer()
    const anna = await b.talker()
    await anna.hello()
    let pings = 0
    anna.socket.on('ping', () => pings++)
    b.clock.advance(5_200)
    await until(() => pings === 1, 2_000, 'a ping')
    anna.socket.pause()
    b.clock.advance(16_000)
    await until(() => b.bridge.legs.size === 0, 2_000, 'the end')
  })
})
