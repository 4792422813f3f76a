import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import type { Clock } from '../../../src/common/clock.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { Relay } from '../../../src/core/room/relay.ts'
import { sine } from '../../support/transcode/tone.ts'

/** The clock of a machine that can be suspended: no timer runs meanwhile, and all are late afterwards. */
class FreezableClock implements Clock {
  readonly #inner = new FakeClock(1_000)
  #frozenMs = 0

  now(): number {
    return this.#inner.now() + this.#frozenMs
  }

  at(deadline: number, task: () => void): Disposable {
    return this.#inner.at(deadline - this.#frozenMs, task)
  }

  advance(ms: number): void {
    this.#inner.advance(ms)
  }

  freeze(ms: number): void {
    this.#frozenMs += ms
  }
}

test('acknowledgments that arrived during a suspension prevent a timeout', async () => {
  const clock = new FreezableClock()
  const translator = new FakeTranslator()
  await using relay = new Relay({ translator, options: relayOptions(), clock, random: () => 0.5 })
  await relay.ready()
  const anna = new FakeLeg('anna')
  relay.admit(anna, { room: 'r', speaks: 'en-us', hears: 'en-us' })
  relay.admit(new FakeLeg('bob'), { room: 'r', speaks: 'es-es', hears: 'es-es' })
  const run = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 20) {
      anna.say(sine(440, 20))
      clock.advance(20)
      await Promise.resolve()
    }
  }
  await run(200)
  const connection = translator.connections.find(({ request }) => request.from === 'en-us')!
  connection.autoAck = false
  // The suspension can end before any of the ticks between two checks of deadlines.
  for (let round = 0; round < 5; round++) {
    await run(120)
    clock.freeze(60_000)
    // Timers run before sockets: the first tick, then the pending messages of the service.
    clock.advance(20)
    for (const { sequence } of connection.sent.splice(0)) connection.sink.acked(sequence, true)
    await run(20)
  }
  expect(relay.metrics.sessionsDropped).toBe(0)
  expect(connection.closed).toBe(false)
  // A truly silent service is still detected.
  await run(20_000)
  expect(connection.closed).toBe(true)
})
