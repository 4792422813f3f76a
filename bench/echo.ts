import { KINDS, type Original, oneSentence, repeated, spokenOver } from '../test/support/relay/echo-cases.ts'
import { mean } from './stats.ts'
import { table } from './table.ts'

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

/** Prints the effects of acoustic echo: sentences that are translated again, and speech lost to the protection. */
export async function benchEcho(): Promise<void> {
  const rows: LevelRow[] = []
  for (const db of LEVELS) rows.push(await level(db))
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`
  const head = ['echo', 'extra: off', 'low', 'duck', 'spoken over', 'over the first', 'repetitions kept']
  const cells = rows.map(({ db, extra, ...row }) => [
    `${db} dB`,
    ...MODES.map(mode => extra[mode]),
    percent(row.over),
    percent(row.overFirst),
    percent(row.repeated),
  ])
  console.log(table(head, cells))
}
