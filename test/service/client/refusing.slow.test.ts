import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { ScriptedService } from '../../../simulator/service/scripted-service.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { Relay } from '../../../src/core/room/relay.ts'
import { ServiceTranslator } from '../../../src/service/client/translator.ts'
import { PATIENCE_MS } from '../../support/faults/service-fault-harness.ts'
import { hello } from '../../support/relay/hello.ts'
import { missedBy } from '../../support/relay/missed.ts'
import { callFor } from '../../support/service/short-call.ts'
import { pause, until } from '../../support/until.ts'

let service: ScriptedService
const closing: (() => Promise<void>)[] = []
beforeEach(async () => {
  service = await ScriptedService.listen()
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  await service.close()
})

describe('a rejecting service', () => {
  test('a wrong key: a probe now and then, originals are played, one line in the log without the key', async () => {
    service.faults.refuseKey = true
    const { log } = await callFor(1_500, service.url)
    // Each line of the room and one probe.
    expect(service.refused.length).toBeLessThanOrEqual(2)
    const lines = log.all.filter(({ level }) => level === 'error')
    expect(lines).toHaveLength(1)
    expect(JSON.stringify(log.all)).not.toContain(service.apiKey)
  })

  test('failures at once: a few attempts per second, and the key is in no log line', async () => {
    let asked = 0
    const server = createServer()
    server.on('upgrade', (_request, socket) => {
      asked++
      socket.on('error', () => {})
      socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
    await new Promise<void>(settle => server.listen(0, '127.0.0.1', settle))
    closing.push(async () => void server.close())
    const { log } = await callFor(3_000, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    expect(asked).toBeGreaterThan(4)
    // Five to open the circuit breaker, then one every 0.4 s, for all sessions together.
    expect(asked).toBeLessThanOrEqual(5 + 3 / 0.3)
    expect(JSON.stringify(log.all)).not.toContain(service.apiKey)
    expect(log.all.filter(({ level }) => level === 'warn').length).toBeLessThan(6)
  })

  test('a key revoked during a call: that session retries with care, recovers with the key, and no other is affected', async () => {
    const relay = new Relay({
      translator: new ServiceTranslator({ url: service.url, apiKey: service.apiKey }),
      options: relayOptions(),
    })
    closing.push(() => relay.close())
    await relay.ready()
    for (const [id, room] of [
      ['anna', 'a'],
      ['bert', 'b'],
    ] as const) {
      const leg = new FakeLeg(id)
      relay.admit(leg, { room, speaks: 'en-us', hears: 'es-es' })
      hello(leg)
    }
    const [first, second] = [await service.sessionOf(1), await service.sessionOf(2)]
    await until(() => first.fragments + second.fragments > 4 || first.connected, PATIENCE_MS, 'sessions')
    await pause(100)
    service.faults.refuseKey = true
    first.error({ code: 'unauthorized', error: 'key_revoked', description: 'revoked' })
    first.drop('kick')
    await pause(1_500)
    expect(service.sessions).toHaveLength(2)
    expect(service.refused.length).toBeLessThan(4)
    expect(second.connected).toBe(true)
    expect([...relay.rooms.values()].map(room => room.sessions)).toEqual([1, 1])
    service.heal()
    const again = await service.sessionOf(3)
    await until(() => again.fragments > 0 || again.connected, PATIENCE_MS, 'that the session is back')
  })

  test('a language that the service does not have: requested once, and reported', async () => {
    service.faults.refuseKey = {
      code: 'bad_parameter',
      error: 'language_not_supported',
      description: 'no such pair',
    }
    const { log, metrics } = await callFor(800, service.url)
    expect(metrics.sessionsDropped).toBe(0)
    expect(
      log.all.filter(({ fields }) => JSON.stringify(fields).includes('language_not_supported')),
    ).not.toEqual([])
  })

  test.each([
    ['of an unknown code', { code: 'internal', error: 'unexpected', description: 'oops' }],
    ['of a wrong key', { code: 'unauthorized', error: 'key_wrong', description: 'no' }],
    ['without anything', undefined],
  ])('refusals %s for 2 s during a call: translation recovers automatically', async (_, body) => {
    const relay = new Relay({
      translator: new ServiceTranslator({ url: service.url, apiKey: service.apiKey }),
      options: relayOptions(),
    })
    closing.push(() => relay.close())
    await relay.ready()
    const anna = new FakeLeg('anna')
    relay.admit(anna, { room: 'r', speaks: 'en-us', hears: 'es-es' })
    hello(anna)
    const first = await service.sessionOf(1)
    await until(() => first.fragments > 0 || first.connected, PATIENCE_MS, 'a session')
    await pause(100)
    service.faults.refuseKey = body ?? null
    if (body) first.error(body)
    first.drop('kick')
    await pause(2_000)
    expect(service.refused.length).toBeGreaterThan(0)
    expect(service.refused.length).toBeLessThan(10)
    service.heal()
    const again = await service.sessionOf(2)
    await until(() => again.connected, PATIENCE_MS, 'that the session is back')
    expect(relay.metrics.sessionsEnded).toBe(0)
  })

  test('a quota used up during a call: the original is played, and it retries with care', async () => {
    const relay = new Relay({
      translator: new ServiceTranslator({ url: service.url, apiKey: service.apiKey }),
      options: relayOptions(),
    })
    closing.push(() => relay.close())
    const away = missedBy(relay.observer)
    await relay.ready()
    const anna = new FakeLeg('anna')
    relay.admit(anna, { room: 'r', speaks: 'en-us', hears: 'en-us' })
    relay.admit(new FakeLeg('bob'), { room: 'r', hears: 'es-es' })
    const mouth = setInterval(() => hello(anna), 200)
    closing.push(async () => clearInterval(mouth))
    const first = await service.sessionOf(1)
    await pause(200)
    const used = { code: 'limit', error: 'minutes_used_up', description: 'used up' }
    service.faults.refuseKey = used
    first.error(used)
    first.drop('kick')
    await until(() => away.length > 0, PATIENCE_MS, 'that the original passes')
    const before = service.refused.length
    await pause(3_000)
    expect(service.refused.length - before).toBeLessThan(8)
    service.heal()
    await until(() => away.at(-1)?.missed === false, PATIENCE_MS, 'that translation is back')
  })

  test('we hang up first: the service sees the end at once', async () => {
    const relay = new Relay({
      translator: new ServiceTranslator({ url: service.url, apiKey: service.apiKey }),
      options: relayOptions(),
    })
    await relay.ready()
    const anna = new FakeLeg('anna')
    relay.admit(anna, { room: 'r', speaks: 'en-us', hears: 'es-es' })
    hello(anna)
    const session = await service.sessionOf(1)
    await pause(200)
    const closed = performance.now()
    await relay.close()
    expect(await session.ended).toBe('client namespace disconnect')
    expect(performance.now() - closed).toBeLessThan(1_000)
  })
})
