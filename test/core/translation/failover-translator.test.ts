import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import { full, gone, never, gateSetup as setUp } from '../../support/relay/failover-harness.ts'

describe('failover with one service', () => {
  test('has no effect while the service works', async () => {
    const { gate, first, call, settle } = setUp()
    const caller = call()
    expect(caller.events).toEqual([])
    await settle()
    caller.connection?.send(new Uint8Array(2), 7)
    first.last.sink.result({ utterance: '1', final: true })
    first.last.drop(gone)
    expect(caller.events).toEqual(['ready', 'acked 7', 'result', 'nobody there'])
    expect(gate.waiting).toBe(0)
  })

  test('five failed connections open the breaker; then one at a time is tried', async () => {
    const { gate, first, changes, call, settle, run } = setUp()
    first.refuse = gone
    const callers = Array.from({ length: 4 }, call)
    await settle()
    expect(callers.map(each => each.events)).toEqual(Array.from({ length: 4 }, () => ['nobody there']))
    const waiting = Array.from({ length: 30 }, call)
    await settle()
    expect(gate.statuses).toEqual(['open'])
    expect(changes).toEqual([
      { upstream: 0, status: 'open', problem: { code: 'SERVICE_UNREACHABLE', message: 'nobody there' } },
    ])
    const tried = first.connections.length
    await run(4_000)
    // Every 0.4 s.
    expect(first.connections.length - tried).toBeGreaterThanOrEqual(8)
    expect(first.connections.length - tried).toBeLessThanOrEqual(10)
    expect(gate.probes).toBe(first.connections.length - tried)
    expect(waiting.filter(each => each.events.length > 0).length).toBeLessThan(5)
    first.refuse = undefined
    await run(500)
    expect(waiting.filter(each => each.events.includes('ready')).length).toBeGreaterThanOrEqual(26)
    expect(changes.at(-1)).toEqual({ upstream: 0, status: 'closed' })
    expect(gate.waiting).toBe(0)
  })

  test('never opens more than fifty at once', async () => {
    const { gate, first, call, settle } = setUp()
    first.autoReady = false
    const callers = Array.from({ length: 200 }, call)
    expect(first.connections).toHaveLength(50)
    expect(gate.throttled).toBe(true)
    first.autoReady = true
    for (const connection of [...first.connections]) connection.sink.ready()
    await settle()
    expect(callers.every(each => each.events[0] === 'ready')).toBe(true)
    expect(gate.throttled).toBe(false)
  })

  test('a service that is full or refuses is available: the breaker stays closed', async () => {
    const { gate, first, call, settle } = setUp()
    for (const reason of [full, never]) {
      first.refuse = reason
      const callers = Array.from({ length: 20 }, call)
      await settle()
      expect(callers.every(each => each.events.length === 1)).toBe(true)
    }
    expect(gate.statuses).toEqual(['closed'])
  })

  test('a service that accepts and drops connections is retried with growing delays', async () => {
    const { clock, first, call, run } = setUp()
    let callers = Array.from({ length: 20 }, call)
    await run(50)
    const opened: number[] = []
    for (let minute = 0; minute < 4; minute++) {
      const before = first.connections.length
      for (const end = clock.now() + 10_000; clock.now() < end; ) {
        await run(100)
        for (const each of first.connections) each.drop(gone)
        // Each session retries.
        callers = callers.map(each =>
          each.events.length > 0 && each.events.at(-1) !== 'ready' ? call() : each,
        )
      }
      opened.push(first.connections.length - before)
    }
    expect(opened.at(-1)).toBeLessThan(150)
  })

  test('a probe whose session has ended is followed by the next', async () => {
    const { first, gate, call, settle, run } = setUp()
    first.refuse = gone
    for (let n = 0; n < 5; n++) call()
    await settle()
    first.refuse = undefined
    first.autoReady = false
    const probe = call()
    const next = call()
    await run(600)
    // The longest-waiting connection is the probe.
    expect(gate.statuses).toEqual(['half-open'])
    first.autoReady = true
    for (const each of [probe, next]) if (gate.waiting > 0) each.connection?.close()
    for (const connection of first.connections) if (!connection.closed) connection.drop(gone)
    await run(1_000)
    const last = call()
    await run(600)
    expect(last.events).toEqual(['ready'])
  })

  test('closing it closes waiting connections, and leaves no timer', async () => {
    const { clock, first, gate, call, settle } = setUp()
    first.refuse = gone
    const callers = Array.from({ length: 12 }, call)
    await settle()
    await gate.close()
    expect(callers.every(each => each.events.length === 1)).toBe(true)
    expect(clock.pending).toBe(0)
  })
})

describe('the health of a service', () => {
  const keyRefused = (message = 'unauthorized/key_wrong'): EndReason => ({
    kind: 'failed',
    error: new BridgeError('SERVICE_KEY_REFUSED', message),
  })

  test('a refused key is reported at once, probed with growing pauses, and recovers without a new call', async () => {
    const { gate, first, changes, call, settle, run } = setUp()
    first.refuse = keyRefused()
    const callers = Array.from({ length: 3 }, call)
    await settle()
    const problem = { code: 'SERVICE_KEY_REFUSED', message: 'unauthorized/key_wrong' }
    expect(changes).toEqual([{ upstream: 0, status: 'open', problem }])
    expect([gate.unavailable, gate.statuses, gate.problems]).toEqual([true, ['open'], [problem]])
    await run(60_000)
    expect(changes).toHaveLength(1)
    expect(first.connections.length).toBeLessThan(12)
    first.refuse = undefined
    await run(30_000)
    expect(callers.every(each => each.events.includes('ready'))).toBe(true)
    expect(changes.slice(1)).toEqual([{ upstream: 0, status: 'closed' }])
    expect(gate.unavailable).toBe(false)
  })

  test.each([
    ['no answer', undefined, 'SERVICE_SILENT'],
    ['an unreachable host', gone, 'SERVICE_UNREACHABLE'],
    ['a service that is full', full, 'SERVICE_REFUSED'],
  ])('%s is reported once, within two seconds, until a connection is ready', async (_, refuse, code) => {
    const { first, changes, call, run } = setUp()
    first.refuse = refuse
    first.autoReady = false
    let caller = call()
    for (let ms = 0; ms < 2_000; ms += 200) {
      await run(200)
      // The session retries.
      if (caller.events.length > 0) caller = call()
    }
    expect(changes).toMatchObject([{ upstream: 0, status: 'open', problem: { code } }])
    await run(30_000)
    expect(changes).toHaveLength(1)
    first.refuse = undefined
    first.autoReady = true
    caller.connection?.close()
    call()
    await run(10_000)
    expect(changes.slice(1)).toEqual([{ upstream: 0, status: 'closed' }])
  })

  test('a short outage, a request of its own that is refused, and a caller who hangs up are no problem', async () => {
    const { gate, first, changes, call, run } = setUp()
    first.refuse = gone
    call()
    await run(500)
    first.refuse = undefined
    call()
    await run(3_000)
    first.refuse = never
    call()
    await run(3_000)
    first.refuse = undefined
    first.autoReady = false
    call().connection?.close()
    await run(3_000)
    expect([changes, gate.unavailable]).toEqual([[], false])
  })
})

describe('failover with two services', () => {
  test('the fallback takes over at once, for the whole outage of the first', async () => {
    const { gate, first, second, call, settle, run } = setUp(2)
    first.refuse = gone
    const callers = Array.from({ length: 8 }, call)
    await settle()
    expect(callers.every(each => each.events[0] === 'ready')).toBe(true)
    expect(second.connections).toHaveLength(8)
    expect([gate.onFallback, gate.connectionsOnFallback]).toEqual([true, 8])
    expect(gate.statuses[0]).not.toBe('closed')
    const tried = first.connections.length
    const later = call()
    await settle()
    expect(later.events).toEqual(['ready'])
    // Only a probe, not a session.
    await run(4_000)
    expect(first.connections.length - tried).toBeLessThanOrEqual(11)
  })

  test('when the first has recovered and stays up, sessions on the fallback are notified', async () => {
    const { gate, first, changes, call, settle, run } = setUp(2)
    first.refuse = gone
    const callers = Array.from({ length: 6 }, call)
    await settle()
    first.refuse = undefined
    await run(1_000)
    // It accepted the probe, but only briefly so far.
    expect(callers[0]?.events).toEqual(['ready'])
    expect(gate.statuses[0]).toBe('half-open')
    await run(2_500)
    expect(callers.map(each => each.events)).toEqual(Array.from({ length: 6 }, () => ['ready', 'renew']))
    expect(changes.at(-1)).toEqual({ upstream: 0, status: 'closed' })
    const before = first.connections.length
    call()
    expect(first.connections).toHaveLength(before + 1)
  })

  test('a single failure moves a session to the fallback, and it is notified when the first works', async () => {
    const { gate, first, second, call, settle, run } = setUp(2)
    first.refuse = gone
    const caller = call()
    await settle()
    first.refuse = undefined
    expect([gate.statuses[0], second.connections.length]).toEqual(['closed', 1])
    await run(5_000)
    expect(caller.events).toEqual(['ready', 'renew'])
    const { probes } = gate
    await run(60_000)
    expect([caller.events, gate.probes]).toEqual([['ready', 'renew'], probes])
    expect(probes).toBe(1)
    caller.connection?.close()
    expect([gate.onFallback, gate.connectionsOnFallback]).toEqual([false, 0])
  })

  test('a short recovery does not move sessions back', async () => {
    const { first, call, settle, run } = setUp(2)
    first.refuse = gone
    const callers = Array.from({ length: 6 }, call)
    await settle()
    first.refuse = undefined
    await run(1_000)
    first.refuse = gone
    first.last.drop(gone)
    await run(5_000)
    expect(callers[0]?.events).toEqual(['ready'])
  })

  test('a request refused by the first service goes to the second; refused by both, it fails', async () => {
    const { first, second, call, settle } = setUp(2)
    first.refuse = never
    const taken = call()
    await settle()
    expect(taken.events).toEqual(['ready'])
    second.refuse = never
    const refused = call()
    await settle()
    expect(refused.events).toEqual(['wrong key'])
  })

  test("a fallback's permanent refusal does not count for an unavailable first service", async () => {
    const { gate, first, second, call, settle, run } = setUp(2)
    first.refuse = gone
    second.refuse = never
    const early = call()
    await settle()
    // The first service can recover at any moment.
    expect(early.events).toEqual(['wrong key'])
    expect(early.retryable).toBe(true)
    for (let n = 0; n < 4; n++) call()
    await settle()
    expect(gate.statuses[0]).not.toBe('closed')
    const waiting = call()
    await run(5_000)
    expect(waiting.events).toEqual([])
    const asked = second.connections.length
    await run(5_000)
    expect(second.connections).toHaveLength(asked)
    first.refuse = undefined
    await run(1_000)
    expect(waiting.events).toEqual(['ready'])
  })

  test('a connection that the fallback refuses does not block others that it accepts', async () => {
    const { first, second, call, settle, run } = setUp(2)
    first.refuse = gone
    second.refuse = never
    for (let n = 0; n < 6; n++) call()
    await run(200)
    second.refuse = undefined
    const other = call()
    await settle()
    expect(other.events).toEqual(['ready'])
  })

  test('when both are unavailable, both are probed, and the first to recover serves', async () => {
    const { gate, first, second, call, settle, run } = setUp(2)
    first.refuse = gone
    second.refuse = gone
    for (let n = 0; n < 12; n++) call()
    await settle()
    const waiting = call()
    await run(2_000)
    expect(gate.statuses.every(status => status !== 'closed')).toBe(true)
    expect(waiting.events).toEqual([])
    second.refuse = undefined
    await run(1_000)
    expect(waiting.events).toEqual(['ready'])
  })
})
