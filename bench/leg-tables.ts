import type { LegRow } from './summary.ts'
import { table } from './table.ts'

/** Answers fill 86 % of the time; with a much lower share, something was lost, which improves the other figures. */
const SOUND_PERCENT = 80

/** Above this share of its core (%), a program is behind: it does less than it is asked to. */
const FULL_PERCENT = 90

/** Remarks about figures that need an explanation; one line each. */
export function remarks(rows: readonly LegRow[], silent = false): string[] {
  return rows.flatMap(({ subject, legs, corePercent, soundPercent, legsLost, refused }) => {
    const about = `${subject} with ${legs} legs`
    return [
      ...(!silent && soundPercent < SOUND_PERCENT
        ? [`${about}: sound is missing, its CPU is not comparable`]
        : []),
      ...(corePercent > FULL_PERCENT ? [`${about}: the core is full, its CPU is too low to compare`] : []),
      ...(legsLost > 0 ? [`${about}: ${legsLost} calls broke`] : []),
      ...(refused > 0 ? [`${about}: phones refused ${refused} kinds of messages`] : []),
    ]
  })
}

type Columns = readonly (readonly [head: string, cell: (row: LegRow) => string | number])[]

const WHO: Columns = [
  ['subject', row => row.subject],
  ['legs', row => row.legs],
]

const COST: Columns = [
  ...WHO,
  ['CPU ms/leg-s', row => row.cpuMs],
  ['user', row => row.userMs],
  ['system', row => row.systemMs],
  ['× floor', row => row.ratio],
  ['× floor-lead', row => row.ratioToLead],
  ['core %', row => row.corePercent],
  ['RSS MiB', row => row.rssMiB],
  ['KiB/leg', row => row.rssPerLegKiB],
  ['growth KiB/leg', row => row.rssGrowthKiB],
  ['load core %', row => row.loadCorePercent],
  ['others %', row => row.foreignPercent],
]

const TIMING: Columns = [
  ...WHO,
  ['uplink p50', row => row.uplinkP50Ms],
  ['p99', row => row.uplinkP99Ms],
  ['max ms', row => row.uplinkMaxMs],
  ['over playback p50', row => row.uplinkOverPlaybackP50Ms],
  ['p99 ms', row => row.uplinkOverPlaybackP99Ms],
  ['speech end p50', row => row.speechEndP50Ms],
  ['p99 ms', row => row.speechEndP99Ms],
  ['downlink p50', row => row.downlinkP50Ms],
  ['p99 ms', row => row.downlinkP99Ms],
  ['underruns', row => row.gaps],
  ['longest ms', row => row.longestGapMs],
  ['late p99 ms', row => row.latenessP99Ms],
  ['sound %', row => row.soundPercent],
  ['lost frames', row => row.framesLost],
  ['load late p99 ms', row => row.senderP99Ms],
]

const OBSERVED: Columns = [
  ...WHO,
  ['GC % of time', row => row.gcPercent],
  ['longest GC ms', row => row.longestGcMs],
  ['loop delay p99', row => row.loopP99Ms],
  ['max ms', row => row.loopMaxMs],
]

const LONG: Columns = [
  ...WHO,
  ['RSS at the start MiB', row => row.rss[0]?.rssMiB ?? Number.NaN],
  ['at the end', row => row.rss.at(-1)?.rssMiB ?? Number.NaN],
  ['growth in the last five minutes MiB', row => row.endGrowthMiB],
  ['%', row => row.endGrowthPercent],
]

/** Cost and timing of all rows, and what was observed, as tables one below the other. */
export function legTables(rows: readonly LegRow[]): string {
  const parts = [COST, TIMING]
  if (rows.some(row => Number.isFinite(row.gcPercent))) parts.push(OBSERVED)
  if (rows.some(row => row.rss.length > 0)) parts.push(LONG)
  return parts
    .map(columns =>
      table(
        columns.map(([head]) => head),
        rows.map(row => columns.map(([, cell]) => cell(row))),
      ),
    )
    .join('\n\n')
}
