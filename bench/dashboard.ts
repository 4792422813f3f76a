import { setTimeout as sleep } from 'node:timers/promises'
import type { Opened, Run, Serving } from './messages.ts'
import type { BenchOptions } from './options.ts'
import { cpuOf, foreignMs } from './proc-stat.ts'
import { Child, runRealtime } from './process.ts'
import { mean } from './stats.ts'
import type { Listening } from './subject.ts'
import { LOAD_CORE, SUBJECT_CORE } from './subjects.ts'
import { table } from './table.ts'
import { BENCH_KEY } from './watched.ts'

/** Live legs, all of which talk and are translated. */
const LEGS = 200
/** Numbers of open pages. */
const VIEWERS = [1, 10]
/** Windows with and without, in turn. */
const ROUNDS = 4
const WARM_MS = 6_000
/** Excludes the initial cost of opening a page. */
const SETTLE_MS = 1_500
/** The server continues to collect for this long after the last page was closed, plus a margin. */
const LINGER_MS = 16_500

/** Cost for the bridge of open dashboard pages. */
export interface DashboardRow {
  readonly legs: number
  readonly viewers: number
  /** Percent of one core, without and with pages, and the difference: the mean, and each round. */
  readonly offPercent: number
  readonly onPercent: number
  readonly costPercent: number
  readonly rounds: readonly number[]
  /** Relative to the processor time without pages. */
  readonly ratio: number
  /** Traffic per page (kB per second). */
  readonly kilobytesPerSecond: number
  /** Percent of the bridge's core used by other processes. */
  readonly othersPercent: number
}

interface Window {
  readonly percent: number
  readonly others: number
}

/** Loads a bridge with 200 legs, opens and closes its dashboard in turn, and measures its processor time. */
export async function benchDashboard(
  options: BenchOptions,
  say: (line: string) => void,
): Promise<DashboardRow[]> {
  const load = Child.start('load.ts', LOAD_CORE, [])
  try {
    const { url } = await load.when<Serving>('serving')
    const args = ['--service', url, '--numbers', String(LEGS), '--mode', options.mode, '--dashboard']
    const child = Child.start('bridge.ts', SUBJECT_CORE, args, options.node)
    try {
      const { port } = await child.when<Listening>('listening')
      if (options.realtime) for (const { pid } of [load, child]) runRealtime(pid)
      const roundMs = options.seconds * 2_000 + SETTLE_MS + LINGER_MS
      const windowMs = VIEWERS.length * ROUNDS * roundMs + 60_000
      const opened = load.when<Opened>('opened')
      const run: Run = {
        kind: 'run',
        port,
        legs: LEGS,
        rampMs: LEGS * 20,
        warmMs: WARM_MS,
        windowMs,
        pairs: false,
      }
      load.send(run)
      await opened
      const rows: DashboardRow[] = []
      for (const viewers of VIEWERS)
        rows.push(await rowOf(viewers, port, child, options.seconds * 1_000, say))
      return rows
    } finally {
      await child.stop()
    }
  } finally {
    await load.stop()
  }
}

async function rowOf(
  viewers: number,
  port: number,
  bridge: Child,
  windowMs: number,
  say: (line: string) => void,
): Promise<DashboardRow> {
  const [off, on]: [Window[], Window[]] = [[], []]
  let kilobytesPerSecond = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const without = await windowOf(bridge, windowMs)
    const pages = await Promise.all(Array.from({ length: viewers }, () => Page.open(port)))
    await sleep(SETTLE_MS)
    for (const page of pages) page.bytes = 0
    const open = await windowOf(bridge, windowMs)
    kilobytesPerSecond = mean(pages.map(({ bytes }) => bytes)) / windowMs
    for (const page of pages) page.close()
    off.push(without)
    on.push(open)
    say(
      `${viewers} open on ${LEGS} legs, round ${round}: ${without.percent.toFixed(1)} % of a core without, ${open.percent.toFixed(1)} % with, others ${open.others.toFixed(0)} %`,
    )
    await sleep(LINGER_MS)
  }
  const [offPercent, onPercent] = [off, on].map(windows => mean(windows.map(({ percent }) => percent))) as [
    number,
    number,
  ]
  return {
    ...{ legs: LEGS, viewers, offPercent, onPercent, kilobytesPerSecond },
    costPercent: onPercent - offPercent,
    rounds: on.map(({ percent }, at) => percent - off[at]!.percent),
    ratio: onPercent / offPercent,
    othersPercent: mean([...off, ...on].map(({ others }) => others)),
  }
}

/** Processor time of the bridge over an interval, in percent of a core, without other processes. */
async function windowOf(bridge: Child, ms: number): Promise<Window> {
  const look = () => {
    const cpu = cpuOf(bridge.pid)
    return { at: performance.now(), own: cpu.user + cpu.system, others: foreignMs(SUBJECT_CORE, cpu) }
  }
  const before = look()
  await sleep(ms)
  const after = look()
  const share = (later: number, earlier: number) => ((later - earlier) / (after.at - before.at)) * 100
  return { percent: share(after.own, before.own), others: Math.max(0, share(after.others, before.others)) }
}

/** A page that reads everything it receives. */
class Page {
  bytes = 0
  readonly #abort = new AbortController()

  static async open(port: number): Promise<Page> {
    const page = new Page()
    const response = await fetch(`http://127.0.0.1:${port}/dashboard/events`, {
      headers: { authorization: `Bearer ${BENCH_KEY}` },
      signal: page.#abort.signal,
    })
    if (!response.ok || !response.body) throw new Error(`the dashboard answered ${response.status}`)
    page.#read(response.body).catch(() => {})
    return page
  }

  close(): void {
    this.#abort.abort()
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    for await (const chunk of body) this.bytes += chunk.length
  }
}

export function dashboardTable(rows: readonly DashboardRow[]): string {
  return table(
    [
      'legs',
      'pages open',
      'core % without',
      'core % with',
      'cost %',
      'each round %',
      'ratio',
      'kB/s a page',
      'others %',
    ],
    rows.map(row => [
      row.legs,
      row.viewers,
      row.offPercent,
      row.onPercent,
      row.costPercent,
      row.rounds.map(each => each.toFixed(1)).join(', '),
      row.ratio,
      row.kilobytesPerSecond,
      row.othersPercent,
    ]),
  )
}
