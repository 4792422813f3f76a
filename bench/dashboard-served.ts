import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import Fastify from 'fastify'
import { systemClock, Ticker } from '../src/common/clock.ts'
import { relayOptions } from '../src/core/model/relay-settings.ts'
import { Relay } from '../src/core/room/relay.ts'
import { FakeLeg, FakeTranslator } from '../src/simulator/index.ts'
import { table } from './table.ts'
import { addDashboard, BENCH_KEY } from './watched.ts'

/** A page, in a separate thread, so that reading does not count for the server. */
const PAGE = `
  const { workerData: { url, key } } = require('node:worker_threads')
  fetch(url, { headers: { authorization: 'Bearer ' + key } }).then(async ({ body }) => { for await (const _ of body); }).catch(() => {})`
const WINDOW_MS = 10_000
const SETTLE_MS = 2_000

export interface ServedRow {
  readonly pages: number
  /** Percent of a core, used by the thread that does all the server's work. */
  readonly percent: number
  readonly costPercent: number
}

/**
 * Legs that are only present and loud, so that the additional cost of open pages, including writes to sockets, is
 * visible without the work of a busy bridge.
 */
export async function benchServed(legs: number, pages: readonly number[]): Promise<ServedRow[]> {
  const relay = new Relay({ translator: new FakeTranslator(), options: relayOptions({ maxLegs: legs }) })
  const ids = Array.from({ length: legs }, (_, n) => `leg-${n}`)
  for (const [n, id] of ids.entries())
    relay.admit(new FakeLeg(id), {
      room: `room ${n >> 1}`,
      speaks: n % 2 ? 'es-es' : 'en-us',
      hears: 'en-us',
    })
  let turn = 0
  using _ = new Ticker(systemClock, 100, () => {
    turn++
    if (!relay.observer.wants('level')) return
    for (const [at, participant] of ids.entries())
      relay.observer.emit('level', { room: '', participant, level: ((at * 7 + turn * 13) % 97) / 97 })
  })
  const app = Fastify({ forceCloseConnections: true })
  await addDashboard(app, relay)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/dashboard/events`
  const open: Worker[] = []
  const rows: ServedRow[] = []
  for (const wanted of [0, ...pages]) {
    while (open.length < wanted)
      open.push(new Worker(PAGE, { eval: true, workerData: { url, key: BENCH_KEY } }))
    await sleep(SETTLE_MS)
    const percent = await busy()
    rows.push({ pages: wanted, percent, costPercent: percent - (rows[0]?.percent ?? percent) })
  }
  await Promise.all(open.map(each => each.terminate()))
  await app.close()
  await relay.close()
  return rows
}

/** Share of a core used by this thread for a while. */
async function busy(): Promise<number> {
  const [before, at] = [process.threadCpuUsage(), performance.now()]
  await sleep(WINDOW_MS)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 10 / (performance.now() - at)
}

export function servedTable(rows: readonly ServedRow[]): string {
  return table(
    ['pages open', 'core %', 'cost %'],
    rows.map(({ pages, percent, costPercent }) => [pages, percent, costPercent]),
  )
}
