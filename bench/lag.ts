import { type ConversationReport, converse } from './conversation.ts'
import { speech } from './speech.ts'
import { mean } from './stats.ts'
import { table } from './table.ts'

const MINUTES = 30
const SHARES = [0.3, 0.55, 0.7, 0.85, 1] as const
const LONGER = 1.4
/** Start and end of a conversation that are compared (ms). */
const PART_MS = 5 * 60_000
const END_MS = MINUTES * 60_000

/** One conversation of half an hour. */
interface LagRow {
  /** Share of the time that each participant talks. */
  share: number
  catchUp: boolean
  utterances: number
  dropped: number
  /** Time from the arrival of a translation to its start (ms). */
  waitP50: number
  waitP95: number
  waitMax: number
  /** Mean lag, counting times without translation as 0 (ms). */
  firstMinutes: number
  lastMinutes: number
  /** Time saved, relative to the audio to play. */
  trimmed: number
  hastened: number
}

/**
 * Runs conversations on a simulated clock in which every translation is 1.4 times as long as its source, with and without
 * catching up, and prints the lag.
 */
export async function benchLag(): Promise<void> {
  const rows: LagRow[] = []
  for (const share of SHARES)
    for (const catchUp of [true, false]) {
      const report = await converse({
        ...{ minutes: MINUTES, share, longer: LONGER, speech: speech() },
        relay: { catchUp },
      })
      rows.push(rowOf(share, catchUp, report))
    }
  console.log(lagTable(rows))
}

function lagTable(rows: readonly LagRow[]): string {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)}`
  const percent = (part: number) => `${(part * 100).toFixed(1)}`
  const head = [
    ...['talk %', 'catching up', 'utterances', 'dropped', 'wait p50 s', 'p95 s', 'max s'],
    ...['mean lag, first 5 min s', 'last 5 min s', 'gained by pauses %', 'gained by speed %'],
  ]
  return table(
    head,
    rows.map(row => [
      percent(row.share),
      row.catchUp ? 'yes' : 'no',
      row.utterances,
      row.dropped,
      seconds(row.waitP50),
      seconds(row.waitP95),
      seconds(row.waitMax),
      seconds(row.firstMinutes),
      seconds(row.lastMinutes),
      percent(row.trimmed),
      percent(row.hastened),
    ]),
  )
}

function rowOf(share: number, catchUp: boolean, report: ConversationReport): LagRow {
  const { told, dropped, pausesTrimmedMs, timeCompressedMs } = report
  const waits = told
    .flatMap(({ begunAt, cameAt }) => (begunAt === undefined ? [] : [begunAt - cameAt]))
    .toSorted((a, b) => a - b)
  const at = (part: number) => waits[Math.floor((waits.length - 1) * part)] ?? Number.NaN
  const playedMs = told.reduce((sum, each) => sum + (each.dropped ? 0 : each.lengthMs), 0)
  return {
    share,
    catchUp,
    utterances: told.length,
    dropped,
    waitP50: at(0.5),
    waitP95: at(0.95),
    waitMax: at(1),
    firstMinutes: meanLag(report, 0, PART_MS),
    lastMinutes: meanLag(report, END_MS - PART_MS, END_MS),
    trimmed: pausesTrimmedMs / playedMs,
    hastened: timeCompressedMs / playedMs,
  }
}

function meanLag({ lag }: ConversationReport, fromMs: number, toMs: number): number {
  const sums = Array.from(lag.values(), points =>
    points
      .filter(({ atMs }) => atMs > fromMs && atMs <= toMs)
      .reduce((sum, { lagMs }) => sum + (lagMs * 1_000) / (toMs - fromMs), 0),
  )
  return mean(sums)
}
