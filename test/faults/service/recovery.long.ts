import { expect, test } from 'vitest'
import { systemClock, Ticker } from '../../../src/core/clock.ts'
import { FragmentPool } from '../../../src/core/fragment.ts'
import { silentLog } from '../../../src/core/log.ts'
import { RelayMetrics } from '../../../src/core/metrics.ts'
import { relayOptions } from '../../../src/core/relay-options.ts'
import { ServiceGate } from '../../../src/core/service-gate.ts'
import { Session } from '../../../src/core/session.ts'
import { ServiceTranslator } from '../../../src/service/client/service-translator.ts'
import { FaultProxy } from '../../../src/simulator/faults/fault-proxy.ts'
import { randomFrom } from '../../../src/simulator/phone/quirks.ts'
import type { Answering } from '../../../src/simulator/scripted-answers.ts'
import { ScriptedService } from '../../../src/simulator/scripted-service.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { figure, quantile } from '../../helpers/figures.ts'
import { LeakWatch } from '../../helpers/leaks.ts'
import { pause, until } from '../../helpers/until.ts'

const PATIENCE_MS = 30_000

/** An answer for every two seconds, so that only these are said again. */
const everyTwoSeconds: Answering = session => () => {
  if (session.heardMs % 1_920 === 0) session.say({})
}

/** So many sessions that speak without a pause, behind one gate, through one network, to one service. */
async function sessions(count: number, fragmentMs = 60) {
  /** When each connection, by its number, got its first fragment. */
  const first: number[] = []
  const service = await ScriptedService.listen({
    answer: everyTwoSeconds,
    record: 'counts',
    onFragment: session => {
      first[session.number] ??= systemClock.now()
    },
  })
  const proxy = await FaultProxy.listen({ to: service.url })
  const gate = new ServiceGate([new ServiceTranslator({ url: proxy.url, apiKey: service.apiKey })], {
    clock: systemClock,
    random: Math.random,
  })
  const metrics = new RelayMetrics()
  const parts = {
    clock: systemClock,
    log: silentLog,
    metrics,
    translator: gate,
    pool: new FragmentPool(fragmentMs * 32, 100_000),
    random: Math.random,
  }
  const options = relayOptions({ fragmentMs })
  const events = { result() {}, endOfSpeech() {}, interrupted() {}, changed() {} }
  const request = { from: 'en-us', to: 'es-es', want: 'speech' } as const
  const all = Array.from({ length: count }, (_, n) => new Session(`s${n}`, request, options, parts, events))
  const frame = new Int16Array(FRAME_SAMPLES).fill(1_000)
  let ticks = 0
  const mouth = new Ticker(systemClock, 60, now => {
    for (const session of all) for (let n = 0; n < 3; n++) session.write(frame, false, now)
    if (++ticks % 2 === 0) for (const session of all) session.check(now)
  })
  const live = () => all.every(({ state }) => state.status === 'live')
  const close = async () => {
    mouth[Symbol.dispose]()
    for (const session of all) void session.close({ kind: 'unused' })
    await gate.close()
    await proxy.close()
    await service.close()
    expect(parts.pool.lent).toBe(0)
  }
  try {
    await until(live, PATIENCE_MS, 'that all sessions are live')
  } catch (error) {
    await close()
    throw error
  }
  return { service, proxy, all, live, first, metrics, gate, [Symbol.asyncDispose]: close }
}

type Sessions = Awaited<ReturnType<typeof sessions>>

/** The service is away for `outageMs`; times from its return until each session's first fragment was taken (ms). */
async function outage({ proxy, service, live, first }: Sessions, outageMs: number): Promise<number[]> {
  await proxy.stop()
  await pause(outageMs)
  const known = service.sessions.length
  await proxy.start()
  const back = systemClock.now()
  await until(live, PATIENCE_MS, 'that all sessions are back')
  const fresh = () => first.slice(known + 1).filter(at => at !== undefined)
  await until(() => fresh().length === service.sessions.length - known, PATIENCE_MS, 'a fragment of each')
  return fresh().map(at => at - back)
}

test('one session, real sockets: outages of 0.5 to 5 s', async context => {
  using watch = new LeakWatch()
  const random = randomFrom(11)
  // Each of its own: a service that fails again at once is tried less often, on purpose.
  const runs = Array.from({ length: 60 }, async (_, n) => {
    await pause(200 * n)
    await using one = await sessions(1)
    const times = await outage(one, 500 + 4_500 * random())
    expect(one.metrics.lostMs).toBe(0)
    return times
  })
  const times = (await Promise.all(runs)).flat()
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
  figure(
    context,
    `service back → first fragment, one session, real sockets, ${times.length} outages of 0.5 to 5 s`,
    'p50 ≤ 250 ms, p99 ≤ 1 s',
    `p50 ${Math.round(p50)} ms, p99 ${Math.round(p99)} ms`,
  )
  expect(p99).toBeLessThanOrEqual(1_000)
  await watch.settled()
})

test('100 sessions at once', async context => {
  await using crowd = await sessions(100, 120)
  const times: number[] = []
  let probes = 0
  for (const outageMs of [2_000, 5_000]) {
    const before = crowd.gate.probes
    const { connections } = crowd.proxy
    times.push(...(await outage(crowd, outageMs)))
    // So long it is to stand before it is believed.
    await pause(11_000)
    probes += crowd.gate.probes - before
    expect(crowd.proxy.connections - connections).toBeLessThan(200)
  }
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
  figure(
    context,
    'the same, 100 sessions at once, fragments of 120 ms, outages of 2 and 5 s, both ends in one process',
    'p99 ≤ 3 s',
    `p50 ${Math.round(p50)} ms, p99 ${Math.round(p99)} ms`,
  )
  figure(
    context,
    'probes of all 100 sessions together while the service was away 7 s',
    'no stampede',
    `${probes}`,
  )
  expect(times.length).toBeGreaterThanOrEqual(200)
  expect(crowd.metrics.lostMs).toBe(0)
  expect(p99).toBeLessThanOrEqual(3_000)
})

test('a service that stops answering', async context => {
  await using one = await sessions(1)
  const times: number[] = []
  for (let n = 0; n < 20; n++) {
    await pause(200 + 37 * n)
    one.proxy.set({ swallow: true })
    const begun = systemClock.now()
    await until(() => one.all[0]!.away, PATIENCE_MS, 'that it is noticed')
    times.push(systemClock.now() - begun)
    one.proxy.heal()
    await until(one.live, PATIENCE_MS, 'that it is back')
  }
  const most = Math.max(...times)
  figure(
    context,
    `a dead service is noticed, ${times.length} black holes`,
    '≤ 2 s',
    `≤ ${Math.round(most)} ms`,
  )
  expect(most).toBeLessThanOrEqual(2_000)
})
