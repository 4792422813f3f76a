import { describe, expect, test } from 'vitest'
import { randomFrom } from '../../../simulator/random.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { expectEmpty } from '../../support/leaks.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

const LOST = new BridgeError('SERVICE_LOST', 'gone', { retryable: true })

/** A call with one session, whose service acknowledges when the test says. */
async function setUp() {
  const r = await rooms({ fragmentMs: 60 })
  r.join('anna', { speaks: 'en-us', hears: 'en-us' })
  r.join('bob', { hears: 'es-es' })
  await r.run(20)
  const connection = r.connection('en-us', 'es-es')
  connection.autoAck = false
  r.say('anna', sine(300, 60_000))
  const over = async () => {
    await r.relay.close()
    expectEmpty(r.relay, r.clock)
  }
  return { r, connection, over }
}

describe('acknowledgments', () => {
  test('out of order: each applies to its own fragment, none is sent again', async () => {
    const { r, connection, over } = await setUp()
    const random = randomFrom(3)
    const waiting: number[] = []
    let seen = 0
    for (let ms = 0; ms < 20_000; ms += 100) {
      await r.run(100)
      while (seen < connection.sent.length) waiting.push(connection.sent[seen++]!.sequence)
      while (waiting.length > 4) {
        const [sequence] = waiting.splice(Math.floor(random() * waiting.length), 1)
        connection.sink.acked(sequence!, true)
      }
    }
    const sequences = connection.sent.map(({ sequence }) => sequence)
    expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, n) => n))
    // A single one can by chance wait for a long time; otherwise the connection does not end.
    expect(r.relay.metrics.sessionsDropped).toBeLessThanOrEqual(1)
    await over()
  })

  test('each after 1.4 s: the window is full, and everything continues', async () => {
    const { r, connection, over } = await setUp()
    for (let at = 0, ms = 0; ms < 20_000; ms += 20) {
      await r.run(20)
      // 1.4 s are 23 fragments.
      while (at < connection.sent.length - 23) connection.sink.acked(connection.sent[at++]!.sequence, true)
    }
    expect(r.relay.metrics).toMatchObject({ sessionsDropped: 0, lostMs: 0, fragmentsReplayed: 0 })
    expect(connection.sent.length).toBeGreaterThan(300)
    await over()
  })

  test('of an ended connection, of unsent fragments, and repeated: they are ignored', async () => {
    const { r, connection, over } = await setUp()
    await r.run(600)
    for (const sequence of [0, 0, 1, -1, 99_999, Number.NaN, 2.5]) connection.sink.acked(sequence, true)
    connection.drop({ kind: 'failed', error: LOST })
    await r.run(300)
    const next = r.connection('en-us', 'es-es')
    expect(next).not.toBe(connection)
    for (const { sequence } of connection.sent) connection.sink.acked(sequence, true)
    // All of it is sent again: acknowledged words without an answer are not lost.
    expect(next.sent[0]?.sequence).toBe(0)
    await over()
  })
})

test('a service that drops and returns every 2 s for ten minutes: nothing accumulates, and attempts are limited', async () => {
  const r = await rooms()
  for (let n = 0; n < 5; n++) r.join(`anna${n}`, { room: `r${n}`, speaks: 'en-us', hears: 'es-es' })
  await r.run(100)
  for (let n = 0; n < 5; n++) r.say(`anna${n}`, sine(300, 600_000))
  const timers: number[] = []
  const held: number[] = []
  for (let round = 0; round < 300; round++) {
    r.translator.refuse = round % 2 === 0 ? undefined : { kind: 'failed', error: LOST }
    for (const connection of r.translator.connections) connection.drop({ kind: 'failed', error: LOST })
    await r.run(2_000)
    timers.push(r.clock.pending)
    held.push(r.relay.replayFragments)
  }
  expect(Math.max(...timers.slice(150))).toBeLessThanOrEqual(Math.max(...timers.slice(0, 150)) + 5)
  expect(Math.max(...held)).toBeLessThanOrEqual(5 * (48_000 / 60 + 1))
  // Five sessions in ten minutes: without a circuit breaker they would make about 3 000 attempts.
  expect(r.translator.connections.length).toBeLessThan(2_500)
  await r.relay.close()
  expectEmpty(r.relay, r.clock)
}, 60_000)
