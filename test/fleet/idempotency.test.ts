import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { BearerKeys } from '../../src/web/control/auth.ts'
import { type Answered, Idempotency } from '../../src/web/control/idempotency.ts'
import { controlSettingsSchema } from '../../src/web/control/settings.ts'
import { FleetHub } from '../support/fleet/fleet-hub.ts'
import { controlled, KEY } from '../support/web/control-harness.ts'

const REQUEST = ['dial', { to: '+15005550006' }]
const KEYED = { 'idempotency-key': 'one' }

/** Two nodes; the test ends their work. */
function nodes() {
  const hub = new FleetHub()
  const clock = new FakeClock()
  const node = (name: string) => {
    const fleet = hub.join(name)
    const started: PromiseWithResolvers<Answered>[] = []
    const store = new Idempotency(clock, { fleet })
    const once = (request: unknown = REQUEST) =>
      store.once('desk', 'one', request, () => {
        const work = Promise.withResolvers<Answered>()
        started.push(work)
        return work.promise
      })
    return { fleet, started, store, once }
  }
  return { hub, clock, a: node('a'), b: node('b') }
}

describe('a request with one key at two nodes', () => {
  test('is executed by one; both return its response, even while it is in progress', async () => {
    const { a, b } = nodes()
    const [first, second] = [a.once(), b.once()]
    await settled()
    expect([a.started.length, b.started.length]).toEqual([1, 0])
    a.started[0]?.resolve({ status: 201, body: { call: 'x' } })
    expect([await first, await second]).toEqual([
      { answered: { status: 201, body: { call: 'x' } }, again: false },
      { answered: { status: 201, body: { call: 'x' } }, again: true },
    ])
    // The response outlives its node.
    a.fleet.kill()
    expect(await b.once()).toMatchObject({ again: true })
    expect(b.started).toEqual([])
  })

  test('places one call', async () => {
    const hub = new FleetHub()
    const [one, two] = [
      await controlled({ fleet: hub.join('a') }),
      await controlled({ fleet: hub.join('b') }),
    ]
    for (const { ask } of [one, two]) await ask('POST', '/rooms', { name: 'desk' })
    const body = { to: '+15005550006', hears: 'es-es' }
    const answers = await Promise.all([
      one.ask('POST', '/rooms/desk/calls', body, KEYED),
      two.ask('POST', '/rooms/desk/calls', body, KEYED),
    ])
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    expect(answers[0].text).toBe(answers[1].text)
    expect(one.dialer.calls.length + two.dialer.calls.length).toBe(1)
    expect(hub.stored).not.toContain('5005550006')
  })

  test('is rejected if the requests differ', async () => {
    const { a, b } = nodes()
    void a.once()
    await settled()
    await expect(b.once(['dial', {}])).rejects.toMatchObject({ specific: 'idempotency_reused' })
  })

  test('is not executed again if the first node ended during it', async () => {
    const { a, b } = nodes()
    void a.once()
    await settled()
    a.fleet.kill()
    await expect(b.once()).rejects.toMatchObject({ specific: 'not_now' })
    expect(b.started).toEqual([])
  })

  test('can be repeated after a retryable failure', async () => {
    const { a, b } = nodes()
    const first = a.once()
    await settled()
    a.started[0]?.resolve({ status: 503, body: {} })
    await first
    void b.once()
    await settled()
    expect(b.started).toHaveLength(1)
  })

  test('is rejected with 503 while the fleet is unavailable', async () => {
    const fleet = new FleetHub().join('a')
    const { ask } = await controlled({ fleet })
    fleet.away = true
    const refused = await ask('POST', '/rooms', {}, KEYED)
    expect([refused.status, refused.body.error]).toEqual([503, 'fleet_away'])
    expect(refused.headers.get('retry-after')).toBe('5')
    fleet.away = false
    expect((await ask('POST', '/rooms', {}, KEYED)).status).toBe(201)
  })
})

test('the rate of a key is divided among the nodes', () => {
  const settings = controlSettingsSchema.parse({
    keys: [{ name: 'desk', key: KEY }],
  })
  const accepted = (nodes: number) => {
    const keys = new BearerKeys(settings, new FakeClock(), { nodes: () => nodes })
    for (let n = 0; ; n++)
      try {
        keys.holderOf(`Bearer ${KEY}`, '203.0.113.1')
      } catch {
        return n
      }
  }
  expect([accepted(1), accepted(2), accepted(4)]).toEqual([100, 50, 25])
})

function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
