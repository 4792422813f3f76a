import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/common/clock.ts'
import type { Fleet } from '../../src/core/model/fleet.ts'
import { NatsFleet } from '../../src/fleet/nats/nats-fleet.ts'
import { natsSettingsSchema } from '../../src/fleet/settings.ts'
import { randomFrom } from '../../src/simulator/random.ts'
import { askWebhook, routeTo } from '../../src/simulator/twilio/phone/request.ts'
import { FleetNodes, PUBLIC } from '../support/fleet/fleet-nodes.ts'
import { NATS_SERVER, NatsServers } from '../support/fleet/nats-servers.ts'
import { NatsTls } from '../support/fleet/nats-tls.ts'
import { figure, quantile } from '../support/sources/figures.ts'
import { pause, until } from '../support/until.ts'

const AUTH_TOKEN = '0123456789abcdef0123456789abcdef'
const REQUESTS = 400
/** Claims in a round, and rounds. */
const CLAIMS = 200
const ROUNDS = 10
const PATH = `/twilio/voice?${new URLSearchParams({ room: 'desk', speaks: 'en-us', hears: 'en-us' })}`

/** Time in which the node at `port` answers a new call to the room (ms). */
async function answerMs(port: number): Promise<number> {
  const url = `${PUBLIC}${PATH}`
  const fields = {
    CallSid: `CA${randomBytes(16).toString('hex')}`,
    ...{ AccountSid: `AC${'0'.repeat(32)}`, From: '+15550100001', To: '+15550100002' },
    ...{ CallStatus: 'ringing', Direction: 'inbound' },
  }
  const began = performance.now()
  const answer = await askWebhook({
    ...{ url, method: 'POST', fields, clock: systemClock, authToken: AUTH_TOKEN },
    route: routeTo(url, {
      publicUrl: PUBLIC,
      localUrl: `http://127.0.0.1:${port}`,
      resolve: {},
      proxied: true,
    }),
    signal: AbortSignal.timeout(15_000),
  })
  if (!answer.ok) throw new Error(answer.why)
  expect(answer.body.toString()).toContain('<Stream')
  return performance.now() - began
}

const rounded = (values: readonly number[], share: number) => Math.round(quantile(values, share) * 10) / 10

const summary = (times: readonly number[]) => `p50 ${rounded(times, 0.5)}, p99 ${rounded(times, 0.99)} ms`

const KINDS = ['without TLS', 'with TLS'] as const

/** Three NATS servers with or without TLS, and the settings of nodes that use them. */
interface Servers {
  readonly kind: (typeof KINDS)[number]
  readonly nats: NatsServers
  readonly settingsOf: (node: string) => object
}

/** Claims new names, `atOnce` at a time; adds the duration of each to `times` (ms). Resolves to the whole time. */
async function claims(fleet: Fleet, names: string, atOnce: number, times: number[]): Promise<number> {
  const began = performance.now()
  for (let done = 0; done < CLAIMS; done += atOnce)
    await Promise.all(
      Array.from({ length: atOnce }, async (_, at) => {
        const claimedAt = performance.now()
        expect(await fleet.registrar.claim(`${names} ${done + at}`)).toMatchObject({ kind: 'home' })
        times.push(performance.now() - claimedAt)
      }),
    )
  return performance.now() - began
}

describe.skipIf(NATS_SERVER === undefined)('NATS with and without TLS, in turn', { timeout: 300_000 }, () => {
  let stack: AsyncDisposableStack
  let both: Servers[]
  beforeAll(async () => {
    stack = new AsyncDisposableStack()
    const tls = stack.use(await NatsTls.create(['a', 'b']))
    both = []
    for (const kind of KINDS) {
      const configuration = kind === 'with TLS' ? tls.configuration : undefined
      const nats = stack.use(await NatsServers.start({ size: 3, configuration }))
      const shared = { servers: nats.addresses, replicas: 3 }
      const settingsOf = (node: string) => (configuration ? { ...shared, ...tls.settings(node) } : shared)
      both.push({ kind, nats, settingsOf })
    }
  })
  afterAll(() => stack.disposeAsync())

  test.each([1, 20])('grants claims, %d at once', async atOnce => {
    await using open = new AsyncDisposableStack()
    const results: { kind: string; fleet: Fleet; times: number[]; ms: number }[] = []
    for (const { kind, settingsOf } of both) {
      const settings = natsSettingsSchema.parse(settingsOf('a'))
      const fleet = open.use(
        await NatsFleet.open({ settings, node: 'a', key: 'a key for tests only', version: '1.0.0' }),
      )
      await until(() => fleet.status === 'up', 20_000, 'the fleet')
      await claims(fleet, `warm ${atOnce}`, atOnce, [])
      results.push({ kind, fleet, times: [], ms: 0 })
    }
    for (let round = 0; round < ROUNDS; round++)
      for (const result of round % 2 === 0 ? results : results.toReversed())
        result.ms += await claims(result.fleet, `${atOnce} ${round}`, atOnce, result.times)
    for (const { kind, times, ms } of results) {
      const perSecond = Math.round((ROUNDS * CLAIMS * 1_000) / ms)
      console.log(`${kind}, ${atOnce} at once: ${summary(times)}, ${perSecond} claims per second`)
      expect(quantile(times, 0.5)).toBeLessThan(25)
    }
  })

  test('lets nodes answer webhooks for a room at another node', async context => {
    await using open = new AsyncDisposableStack()
    const results: { kind: string; fleet: FleetNodes; home: number[]; other: number[] }[] = []
    for (const { kind, nats, settingsOf } of both) {
      const fleet = open.use(
        await FleetNodes.start({
          ...{ nats, random: randomFrom(7), names: ['a', 'b'] },
          settings: { relay: { maxLegs: 10_000, echoSuppression: false } },
          settingsOf: node => ({ fleet: { nats: settingsOf(node) } }),
        }),
      )
      // The first node that is asked becomes home.
      await answerMs(fleet.node('a').port)
      results.push({ kind, fleet, home: [], other: [] })
    }
    for (let request = 0; request < REQUESTS; request++)
      for (const { fleet, home, other } of results) {
        home.push(await answerMs(fleet.node('a').port))
        other.push(await answerMs(fleet.node('b').port))
        await pause(10)
      }
    for (const { kind, home, other } of results) {
      console.log(`${kind}: at the home ${summary(home)}; at another node ${summary(other)}`)
      figure(
        context,
        `webhook answered by a node that asks the home, NATS ${kind}, p99`,
        '25 ms',
        `${rounded(other, 0.99)} ms (the home itself: ${rounded(home, 0.99)} ms)`,
      )
      expect(quantile(other, 0.5)).toBeLessThan(25)
    }
  })
})
