import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { FakeLeg } from '../../simulator/fakes/fake-leg.ts'
import { FakeTranslator } from '../../simulator/fakes/fake-translator.ts'
import { buildApp } from '../../src/app/app.ts'
import { Drain } from '../../src/app/drain.ts'
import { noopLogger } from '../../src/common/log.ts'
import { drainSettingsSchema } from '../../src/core/calls/settings.ts'

function drainOf(calls: () => number, seconds = 60) {
  const clock = new FakeClock()
  const drain = new Drain({ settings: drainSettingsSchema.parse({ seconds }), clock, log: noopLogger, calls })
  let over = false
  const begin = () => void drain.begin().then(() => (over = true))
  const isOver = async () => {
    for (let n = 0; n < 5; n++) await Promise.resolve()
    return over
  }
  return { clock, drain, begin, isOver }
}

describe('draining', () => {
  it('rejects new calls as soon as it starts, and none before', () => {
    const { drain, begin } = drainOf(() => 1)
    expect([drain.rejection(), drain.draining]).toEqual([undefined, false])
    begin()
    expect([drain.rejection(), drain.draining, drain.rejected]).toEqual(['draining', true, 1])
  })

  it('ends immediately without calls', async () => {
    const { begin, isOver } = drainOf(() => 0)
    begin()
    expect(await isOver()).toBe(true)
  })

  it('ends with the last call', async () => {
    let calls = 2
    const { clock, begin, isOver } = drainOf(() => calls)
    begin()
    clock.advance(50_000)
    expect(await isOver()).toBe(false)
    calls = 0
    clock.advance(200)
    expect(await isOver()).toBe(true)
  })

  it('ends at the deadline, or immediately when hurried', async () => {
    const late = drainOf(() => 1)
    late.begin()
    late.clock.advance(59_000)
    expect(await late.isOver()).toBe(false)
    late.clock.advance(1_100)
    expect(await late.isOver()).toBe(true)
    const hurried = drainOf(() => 1)
    hurried.begin()
    hurried.drain.hurry()
    expect(await hurried.isOver()).toBe(true)
    hurried.drain.begin()
    expect(await hurried.isOver()).toBe(true)
  })

  it('leaves no timer running', () => {
    const { clock, drain, begin } = drainOf(() => 1)
    begin()
    drain[Symbol.dispose]()
    expect(clock.pending).toBe(0)
  })
})

describe('health endpoints', () => {
  const config = {
    host: '127.0.0.1',
    port: 0,
    service: {},
    languages: { speaks: 'en-us', hears: 'es-es' },
    twilio: { authToken: [], insecure: true },
  } as const

  it('report ready, overloaded or draining, and always that the process is alive', async () => {
    let share = 0.1
    const clock = new FakeClock()
    const parts = { translator: new FakeTranslator(), memoryShare: () => share, clock }
    const app = await buildApp(config, parts)
    const ask = async (url: string) => {
      const { statusCode, json, headers } = await app.server.inject(url)
      return [statusCode, json().status, headers['retry-after'] !== undefined]
    }
    expect(await ask('/ready')).toEqual([200, 'ready', false])
    share = 0.99
    clock.advance(2_000)
    expect(await ask('/ready')).toEqual([503, 'overloaded', true])
    app.relay.admit(new FakeLeg('anna'), { room: 'r', hears: 'es-es' })
    const left = app.leave()
    expect(await ask('/ready')).toEqual([503, 'draining', true])
    expect(await ask('/live')).toEqual([200, 'ok', false])
    expect(await ask('/health')).toEqual([200, 'ok', false])
    app.drain.hurry()
    await left
    await app.close()
  })
})
