import { afterEach, describe, expect, test } from 'vitest'
import { sine } from '../../helpers/tone.ts'
import { until } from '../../helpers/until.ts'
import { browserServer } from './bridge.ts'

let b: Awaited<ReturnType<typeof browserServer>>
afterEach(() => b.close())

/** Says `message` so often to a visit of its own; the code it is closed with, which harms nobody else. */
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
  expect(b.bridge.visits).toBe(1)
  return code
}

describe('a page that does what it should not', () => {
  test.each([
    ['text above the limit', 'x'.repeat(5_000), 1, 1009],
    ['audio above the limit', Buffer.alloc(8 + 640 * 11), 1, 1009],
    ['far more than any message', Buffer.alloc(100_000), 1, 1009],
    ['no JSON, over and over', '{', 10, 1007],
    ['audio of no length that is one, over and over', Buffer.alloc(100), 10, 1007],
    ['a flood', '{"kind":"ping","at":1}', 400, 1008],
  ])('%s: its connection ends', async (_, message, times, code) => {
    expect(await closedFor(message, times)).toBe(code)
  })

  test('says nothing: it is not waited for', async () => {
    b = await browserServer()
    const silent = await b.talker()
    silent.say(sine(440, 100))
    await until(() => b.clock.pending > 0, 1_000, 'the deadline')
    b.clock.advance(5_000)
    expect(await silent.expectClosed()).toBe(4408)
    expect(b.bridge.counters.visits).toBe(0)
  })

  test('says hello twice, and what is not known: it is passed over', async () => {
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

  test('changes its mind all the time: beyond the limit nothing is changed', async () => {
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

describe('what comes of sound', () => {
  test('holes in the page clock become silence, repetitions nothing, a page that sends none is silent', async () => {
    b = await browserServer()
    const anna = await b.talker()
    await anna.hello()
    anna.say(sine(440, 100), 0)
    anna.say(sine(440, 100), 3_200)
    anna.say(sine(440, 100), 3_200)
    // After an hour without the page: a new beginning.
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
    // What was fed is not filled again.
    anna.say(sine(440, 100), 3_600 * 16_000 + 1_600 + 32_000)
    anna.send({ kind: 'ping', at: 2 })
    await anna.expect('pong', ({ at }) => at === 2)
    expect(b.bridge.legCounters().gapsFilledMs).toBeLessThanOrEqual(200)
  })

  test('more sound than time is dropped, after a burst, and the visit goes on', async () => {
    b = await browserServer()
    const anna = await b.talker()
    await anna.hello()
    anna.say(sine(440, 30_000))
    anna.send({ kind: 'ping', at: 1 })
    await anna.expect('pong')
    expect(b.bridge.legCounters()).toMatchObject({ framesIn: 750, floodDropped: 750 })
    expect(anna.closed).toBeUndefined()
  })

  test('of what a stall held up the newest 10 s are heard, the rest is dropped and counted', async () => {
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

  test('a page that gives no sign of life is asked for one, then given up', async () => {
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
