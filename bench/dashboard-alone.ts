import { relayOptions } from '../src/core/model/relay-settings.ts'
import { Relay } from '../src/core/room/relay.ts'
import { RequestGuardCounters } from '../src/net/request-guard.ts'
import { FakeClock, FakeLeg, FakeTranslator } from '../src/simulator/index.ts'
import { ActivityFeed } from '../src/web/dashboard/activity.ts'
import { table } from './table.ts'

/** Measured seconds of a dashboard, after the same time to warm up. */
const SECONDS = 300
/** Level events per second and leg, and the intervals of level and other updates. */
const EVENTS = 10
const LEVELS = 4

/** Cost of the dashboard's updates without the bridge, in processor time of this thread. */
export interface AloneRow {
  readonly what: string
  readonly timesPerSecond: number
  /** Per update (µs). */
  readonly eachMicroseconds: number
  /** Percent of one core. */
  readonly percent: number
}

/** Measures the dashboard's work per second for `legs` talking legs, each with a translation. */
export function benchAlone(legs: number): AloneRow[] {
  const clock = new FakeClock()
  const relay = new Relay({
    translator: new FakeTranslator(),
    options: relayOptions({ maxLegs: legs }),
    clock,
  })
  const ids = Array.from({ length: legs }, (_, n) => `leg-${n}`)
  for (const [n, id] of ids.entries()) {
    const [speaks, hears] = n % 2 ? ['es-es', 'es-es'] : ['en-us', 'en-us']
    relay.admit(new FakeLeg(id), { room: `room ${n >> 1}`, speaks, hears })
  }
  using activity = new ActivityFeed({
    ...{ relay, clock, wall: () => clock.now() },
    pulse: {
      start() {},
      stop() {},
      look: () => ({ loopLagMs: 1, cpuPercent: 50, memoryBytes: 2 ** 27 }),
    },
    overload: { reason: undefined, rejected: 0, memoryShare: 0 },
    requestGuard: { counters: new RequestGuardCounters() },
    drain: { draining: false },
    embedded: () => undefined,
    simulated: () => null,
    recording: () => null,
    calls: () => [],
  })
  activity.start()
  using feed = activity.watch()
  let turn = 0
  const spent = { events: 0, levels: 0, delta: 0 }
  const timed = (what: keyof typeof spent, work: () => void) => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    spent[what] += user + system
  }
  const second = () => {
    for (let quarter = 0; quarter < LEVELS; quarter++) {
      timed('events', () => {
        for (let n = 0; n < EVENTS / LEVELS; n++) {
          turn++
          for (const [at, participant] of ids.entries())
            relay.observer.emit('level', { room: '', participant, level: ((at * 7 + turn * 13) % 97) / 97 })
        }
      })
      timed('levels', () => void feed.levels())
    }
    // Every tenth leg has an update each second.
    for (let at = turn % 10; at < ids.length; at += 10) {
      const party = relay.find(ids[at]!)
      party?.change({ muted: !party.state.muted })
    }
    timed('delta', () => void feed.delta())
  }
  for (let n = 0; n < SECONDS; n++) second()
  for (const what of ['events', 'levels', 'delta'] as const) spent[what] = 0
  for (let n = 0; n < SECONDS; n++) second()
  const row = (what: string, micros: number, timesPerSecond: number): AloneRow => ({
    ...{ what, timesPerSecond },
    eachMicroseconds: micros / SECONDS / timesPerSecond,
    percent: micros / SECONDS / 10_000,
  })
  const made = Math.ceil(EVENTS / LEVELS) * LEVELS * legs
  const rows = [
    row('a level event', spent.events, made),
    row('levels of all legs', spent.levels, LEVELS),
    row('changes', spent.delta, 1),
  ]
  return [...rows, row('together, in a second', spent.events + spent.levels + spent.delta, 1)]
}

export function aloneTable(rows: readonly AloneRow[]): string {
  return table(
    ['what', 'times per second', 'µs each', '% of a core'],
    rows.map(row => [row.what, row.timesPerSecond, row.eachMicroseconds, row.percent]),
  )
}
