import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { type Clock, systemClock } from '../../../src/common/clock.ts'
import { EngineError } from '../../../src/service/engines/engine.ts'
import type { Fault, FaultServer } from './fault-server.ts'

export const KEY = 'sk-a-secret-key'
export const SERVER = { apiKey: KEY, timeoutMs: 20_000 }

const LASTING: readonly Fault[] = [
  'status 500',
  'status 404',
  'slow',
  'garbage',
  'cut',
  'wrong type',
  'redirect',
  'endless',
  'empty',
]
const PASSING: readonly Fault[] = ['status 503 once', 'status 429 once', 'dropped once']

/**
 * Declares a test per fault. `ask` makes an engine at the server, which measures time with the clock, has it do its work
 * once and closes it; `secret` is what it works on, which no error may quote.
 */
export function survivesFaults(
  make: () => FaultServer,
  ask: (url: string, clock: Clock) => Promise<unknown>,
  secret: string,
): void {
  test.each(LASTING)('%s is reported, without speech or the key', async fault => {
    const server = await make().listen()
    server.fault = fault
    const waiting = new FakeClock()
    const asked = ask(server.url, fault === 'slow' ? waiting : systemClock).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (fault === 'slow') {
      await expect.poll(() => server.seen.length).toBe(1)
      waiting.advance(SERVER.timeoutMs)
    }
    const error = await asked
    expect(error).toBeInstanceOf(EngineError)
    for (let at = error; at instanceof Error; at = at.cause) {
      expect(at.message).not.toContain(secret)
      expect(at.message).not.toContain(KEY)
    }
    expect(server.seen.length).toBe(
      fault === 'status 500' || (fault === 'cut' && server.seen.length > 1) ? 2 : 1,
    )
    expect(server.seen.every(({ path }) => path !== '/elsewhere')).toBe(true)
  })

  test.each(PASSING)('retries after %s', async fault => {
    const server = await make().listen()
    server.fault = fault
    await ask(server.url, systemClock)
    expect(server.seen.length).toBe(2)
  })

  test('reports a missing server', async () => {
    const server = await make().listen()
    await server.app.close()
    await expect(ask(server.url, systemClock)).rejects.toThrow(EngineError)
  })
}
