/**
 * Effects of acoustic echo, as tables in Markdown: sentences that are translated again, speech lost to the protection,
 * and its cost. Uses the real relay on a simulated clock. `--json` prints the rows instead.
 */
import {
  KINDS,
  type Original,
  oneSentence,
  repeated,
  spokenOver,
} from '../../test/support/relay/echo-cases.ts'
import { machine } from '../machine.ts'
import { mean } from '../stats.ts'
import { table } from '../table.ts'
import { benchGate } from './gate.ts'

const LEVELS = [-60, -45, -30, -20, -12, -9, -6]
const MODES: readonly Original[] = ['off', 'low', 'duck']
const kinds = Object.keys(KINDS)

interface LevelRow {
  db: number
  /** Utterances beyond the spoken one, by mode, over all kinds of leg. */
  extra: Record<Original, number>
  /** Share of the speech over a translation that the service receives: in an ongoing call, and over its first translation. */
  over: number
  overFirst: number
  /** Share of repetitions that are kept. */
  repeated: number
}

async function level(db: number): Promise<LevelRow> {
  const extra = { off: 0, low: 0, duck: 0 }
  const over: number[] = []
  const overFirst: number[] = []
  const kept: number[] = []
  for (const kind of kinds) {
    for (const mode of MODES) extra[mode] += (await oneSentence(kind, db, mode)).understood.length - 1
    over.push(await spokenOver(kind, db, true))
    overFirst.push(await spokenOver(kind, db, false))
    for (const sentence of [1, 2, 3, 4, 5])
      for (const afterMs of [200, 700]) kept.push((await repeated(kind, db, sentence, afterMs)) ? 1 : 0)
  }
  return { db, extra, over: mean(over), overFirst: mean(overFirst), repeated: mean(kept) }
}

const rows: LevelRow[] = []
for (const db of LEVELS) rows.push(await level(db))
const cost = benchGate()
const where = machine()
const percent = (share: number) => `${(share * 100).toFixed(1)} %`
if (process.argv.includes('--json')) console.log(JSON.stringify({ machine: where, rows, cost }, null, 2))
else {
  console.log(`${where.cpu}, ${where.cores} cores, Node ${where.node}, load ${where.load}\n`)
  const head = ['echo', 'extra: off', 'low', 'duck', 'spoken over', 'over the first', 'repetitions kept']
  const cells = rows.map(({ db, extra, ...row }) => [
    `${db} dB`,
    ...MODES.map(mode => extra[mode]),
    percent(row.over),
    percent(row.overFirst),
    percent(row.repeated),
  ])
  console.log(table(head, cells))
  console.log()
  console.log(
    table(
      ['while', 'µs a frame'],
      cost.map(({ what, us }) => [what, us]),
    ),
  )
}
process.exit()
