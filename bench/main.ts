import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Row } from './alternate.ts'
import { benchCalls, type CallRow, callTable } from './calls.ts'
import { benchDiscord, type DiscordReport, discordTables } from './discord/discord.ts'
import { benchLag, type LagRow, lagTable } from './lag.ts'
import { legTables, remarks } from './leg-tables.ts'
import { benchLegs } from './legs.ts'
import { machine } from './machine.ts'
import { type BenchOptions, readOptions } from './options.ts'
import type { ProfileReport } from './profile.ts'
import { fleetRatios, summarise } from './summary.ts'
import { figure, table } from './table.ts'
import { talkerTable } from './talkers/talker-table.ts'
import { benchTalkers, type TalkerRow } from './talkers/talkers.ts'

const options = readOptions(process.argv.slice(2))
const say = options.json ? (line: string) => console.error(line) : (line: string) => console.log(line)
const where = machine()
say(`${where.cpu}, ${where.cores} cores, ${where.memoryGiB} GiB, Node ${where.node}, load ${where.load}`)
if (!where.pinned)
  say('no taskset or one core only: subject and load share what there is, figures are not comparable')

const transcode = options.parts.includes('transcode') ? await transcodeRows() : []
const legs = options.parts.includes('legs') ? await legRows(options) : undefined
const calls = options.parts.includes('calls') ? await callRows(options) : []
const talkers = options.parts.includes('talkers') ? await talkerRows(options) : []
const lag = options.parts.includes('lag') ? await lagRows(options) : []
const discord = options.parts.includes('discord') ? await discordRows(options) : undefined
const report = { machine: where, options, transcode, ...legs, calls, talkers, lag, discord }
mkdirSync(dirname(options.out), { recursive: true })
writeFileSync(options.out, `${JSON.stringify(report, null, 2)}\n`)
if (options.json) console.log(JSON.stringify(report))
else say(`\nall rows in ${options.out}`)

async function transcodeRows(): Promise<Row[]> {
  // Loaded only on request: its encoders and decoders would use memory of this process.
  const { benchTranscode } = await import('./transcode.ts')
  const rows = await benchTranscode()
  const cells = rows.map(row => [row.what, row.candidate, row.value, row.unit, row.ratio])
  say(`\n${table(['what', 'candidate', 'value', 'unit', 'ratio'], cells)}`)
  return rows
}

async function legRows(wanted: BenchOptions): Promise<object> {
  const { windows, profile } = await benchLegs(wanted, say)
  const rows = summarise(windows)
  say(`\n${legTables(rows)}`)
  // The sound in Discord channels is not measured.
  const silent = wanted.load === 'idle' || wanted.channel === 'discord'
  for (const remark of remarks(rows, silent)) say(remark)
  for (const { legs, each, median } of fleetRatios(windows)) {
    const ratios = each.map(ratio => ratio.toFixed(3)).join(', ')
    say(`served-fleet relative to served, ${legs} legs: median ${median.toFixed(3)} (${ratios})`)
  }
  if (profile) say(profileTables(profile))
  return { legs: rows, windows, profile }
}

async function callRows(wanted: BenchOptions): Promise<CallRow[]> {
  const rows = await benchCalls(wanted, say)
  say(`\n${callTable(rows)}`)
  return rows
}

async function talkerRows({ talkers, room }: BenchOptions): Promise<TalkerRow[]> {
  const rows = await benchTalkers(
    [...talkers.map(each => ({ talkers: each })), { talkers: Math.max(...talkers), room }],
    say,
  )
  say(`\n${talkerTable(rows)}`)
  return rows
}

async function lagRows({ out }: BenchOptions): Promise<LagRow[]> {
  const rows = await benchLag(dirname(out), say)
  say(`\n${lagTable(rows)}`)
  return rows
}

async function discordRows(wanted: BenchOptions): Promise<DiscordReport> {
  const cases = wanted.speakers.flatMap(speakers =>
    [false, true].map(dave => ({ speakers, channels: Math.ceil(speakers / 5), dave })),
  )
  const report = await benchDiscord(cases, wanted, say)
  say(`\n${discordTables(report)}`)
  return report
}

function profileTables({ packages, functions }: ProfileReport): string {
  const rows = (shares: ProfileReport['packages']) =>
    shares.map(({ name, share }) => [name, `${figure(share * 100)} %`])
  return [
    '\nWhere the process spends its time in JavaScript, idle left out:',
    table(['package or file', 'share'], rows(packages)),
    '',
    table(['function', 'share'], rows(functions)),
  ].join('\n')
}
