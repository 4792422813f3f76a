import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/common/clock.ts'
import { randomFrom } from '../../../src/simulator/random.ts'
import { askWebhook, routeTo } from '../../../src/simulator/twilio/phone/request.ts'
import { FleetNodes, PUBLIC } from '../../harness/fleet/fleet-nodes.ts'
import { NATS_SERVER, NatsServers } from '../../harness/fleet/nats-servers.ts'
import { figure } from '../../harness/sources/figures.ts'
import { pause } from '../../harness/until.ts'

const AUTH_TOKEN = '0123456789abcdef0123456789abcdef'
const REQUESTS = 400
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

const quantile = (values: readonly number[], share: number) =>
  Math.round((values.toSorted((a, b) => a - b)[Math.floor(share * values.length)] ?? 0) * 10) / 10

describe.skipIf(NATS_SERVER === undefined)('webhooks of a fleet', { timeout: 300_000 }, () => {
  test('are answered for a room at another node', async context => {
    await using nats = await NatsServers.start({ size: 3 })
    const settings = { relay: { maxLegs: 10_000, echoSuppression: false } }
    await using fleet = await FleetNodes.start({ nats, replicas: 3, settings, random: randomFrom(7) })
    const [home, other] = [fleet.node('a'), fleet.node('b')]
    // The first node that is asked becomes home.
    await answerMs(home.port)
    const times = { home: [] as number[], other: [] as number[] }
    for (let request = 0; request < REQUESTS; request++) {
      times.home.push(await answerMs(home.port))
      times.other.push(await answerMs(other.port))
      await pause(10)
    }
    for (const [node, ms] of Object.entries(times))
      console.log(`${node}: p50 ${quantile(ms, 0.5)}, p99 ${quantile(ms, 0.99)} ms`)
    figure(
      context,
      'webhook answered by a node that asks the home, p99',
      '25 ms',
      `${quantile(times.other, 0.99)} ms (the home itself: ${quantile(times.home, 0.99)} ms)`,
    )
    expect(quantile(times.other, 0.5)).toBeLessThan(25)
  })
})
