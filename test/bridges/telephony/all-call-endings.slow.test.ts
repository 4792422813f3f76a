import { expect, test } from 'vitest'
import { type App, buildApp } from '../../../src/app/app.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { placeCall, type SimulatedCall } from '../../../src/simulator/twilio/phone/call.ts'
import { PhoneLine } from '../../../src/simulator/twilio/phone/line.ts'
import { Switch } from '../../support/faults/switch.ts'
import { figure, quantile } from '../../support/sources/figures.ts'
import { pause, until } from '../../support/until.ts'

const ENDINGS = Number(process.env.DRAGOMAN_ENDINGS ?? 1_000)
/** In parallel, because each mostly waits for others. */
const LANES = 4
const CALLS = 20
const PATIENCE_MS = 30_000
/** Servers of a rolling deploy. */
const SERVERS = 3
const CALLS_EACH = Number(process.env.DRAGOMAN_CALLS_EACH ?? 100)
/** Time until a stream counts as working, so that its call can resume again (ms). */
const WORKED_MS = 6_000
const PUBLIC_URL = 'https://bridge.example.com'
const AUTH_TOKEN = 'a token for this test'

const ms = (value: number) => `${Math.round(value)} ms`

/** A bridge in this process, with callers of one language only, so that it needs no service. */
async function bridge(): Promise<{ app: App; port: number }> {
  const app = await buildApp({
    host: '127.0.0.1',
    port: 0,
    publicUrl: PUBLIC_URL,
    service: { url: 'http://127.0.0.1:9', apiKey: 'unused' },
    languages: { speaks: 'en-us', hears: 'en-us' },
    limits: { maxEventLoopLagMs: 60_000 },
    drain: { resumeDelaySeconds: 1 },
    twilio: { authTokens: [AUTH_TOKEN] },
  })
  return { app, port: Number(new URL(await app.listen()).port) }
}

/** Phones in rooms of two. */
function callers(count: number, balancer: Switch, line: PhoneLine): Promise<SimulatedCall[]> {
  const place = (_: unknown, at: number) =>
    placeCall({
      webhook: `http://127.0.0.1:${balancer.port}/twilio/voice?room=${at >> 1}`,
      ...{ publicUrl: PUBLIC_URL, authToken: AUTH_TOKEN, record: false, line },
    })
  return Promise.all(Array.from({ length: count }, place))
}

interface Ending {
  readonly first: App
  readonly balancer: Switch
  /** Routes requests to the other server from now on. */
  readonly lead: () => void
  readonly n: number
}

/**
 * Ends a server with 20 calls in 10 rooms while another one runs: all calls continue. Returns the time until the last
 * of them streams again (ms).
 */
async function ending(
  n: number,
  line: PhoneLine,
  end: (ending: Ending) => Promise<unknown>,
): Promise<number> {
  const balancer = await Switch.listen()
  const [first, second] = await Promise.all([bridge(), bridge()])
  balancer.to = first.port
  const calls = await callers(CALLS, balancer, line)
  await until(() => first.app.relay.legs === CALLS, PATIENCE_MS, 'all calls')
  const lead = () => {
    balancer.to = second.port
  }
  const began = systemClock.now()
  const ended = end({ first: first.app, balancer, lead, n })
  await until(() => second.app.relay.legs === CALLS, PATIENCE_MS, 'all calls on the other server')
  const away = systemClock.now() - began
  await ended
  await first.app.close()
  expect([second.app.relay.rooms.size, calls.filter(({ live }) => live).length]).toEqual([CALLS / 2, CALLS])
  await Promise.all(calls.map(call => call.hangUp()))
  await second.app.close()
  await balancer.close()
  return away
}

async function endings(end: (ending: Ending) => Promise<unknown>): Promise<number[]> {
  const line = new PhoneLine(systemClock)
  const away: number[] = []
  let next = 0
  const lane = async () => {
    while (next < ENDINGS) away.push(await ending(next++, line, end))
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return away
}

test('servers that hand over', async context => {
  const refusedMs: number[] = []
  const away = await endings(async ({ first, lead, n }) => {
    // Some calls reach the other server at once, others reach this one, which redirects them.
    if (n % 2 === 0) lead()
    const began = systemClock.now()
    const left = first.leave()
    first.drain.hurry()
    expect((await fetch(`${first.server.listeningOrigin}/ready`)).status).toBe(503)
    refusedMs.push(systemClock.now() - began)
    await left
    lead()
  })
  const [half, most] = [quantile(away, 0.5), quantile(away, 0.99)]
  figure(
    context,
    `calls lost in ${ENDINGS} handovers of a server with ${CALLS} calls; half of them request a new address and wait a second`,
    '0',
    `0; all stream again after p50 ${ms(half)}, p99 ${ms(most)}; not ready after p99 ${ms(quantile(refusedMs, 0.99))}`,
  )
  expect(most).toBeLessThan(5_000)
})

test('servers that are gone', async context => {
  const away = await endings(async ({ balancer, lead }) => {
    lead()
    balancer.cut()
  })
  const [half, most] = [quantile(away, 0.5), quantile(away, 0.99)]
  figure(
    context,
    `calls lost in ${ENDINGS} sudden ends of a server with ${CALLS} calls (all connections reset), another one available`,
    '0, audio resumes ≤ 2 s p99',
    `0; all stream again after p50 ${ms(half)}, p99 ${ms(most)}`,
  )
  expect(most).toBeLessThan(2_000)
})

test('a rolling deploy', async context => {
  const line = new PhoneLine(systemClock)
  const balancers = await Promise.all(Array.from({ length: SERVERS }, () => Switch.listen()))
  const servers = await Promise.all(balancers.map(bridge))
  const calls: SimulatedCall[] = []
  for (const [n, balancer] of balancers.entries()) {
    balancer.to = servers[n]!.port
    calls.push(...(await callers(CALLS_EACH, balancer, line)))
  }
  const away: number[] = []
  // To another version and back.
  for (let round = 0; round < 2; round++)
    for (const [n, balancer] of balancers.entries()) {
      const old = servers[n]!
      await until(() => old.app.relay.legs === CALLS_EACH, PATIENCE_MS, 'all calls')
      await pause(WORKED_MS)
      const next = await bridge()
      servers[n] = next
      balancer.to = next.port
      const began = systemClock.now()
      const left = old.app.leave()
      old.app.drain.hurry()
      await until(() => next.app.relay.legs === CALLS_EACH, PATIENCE_MS, 'all calls on the next server')
      away.push(systemClock.now() - began)
      await left
      await old.app.close()
    }
  expect(calls.filter(({ live }) => live)).toHaveLength(SERVERS * CALLS_EACH)
  expect(servers.map(({ app }) => app.relay.rooms.size)).toEqual(servers.map(() => CALLS_EACH / 2))
  figure(
    context,
    `calls lost of ${calls.length} while ${SERVERS} servers are replaced one by one, twice`,
    '0, gap ≤ 2 s',
    `0; all of a server stream again after at most ${ms(Math.max(...away))}`,
  )
  await Promise.all(calls.map(call => call.hangUp()))
  await Promise.all(servers.map(({ app }) => app.close()))
  await Promise.all(balancers.map(each => each.close()))
})
