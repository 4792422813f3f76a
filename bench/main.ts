import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { benchLegs } from './legs.ts'
import { machine } from './machine.ts'
import { type BenchOptions, readOptions } from './options.ts'
import type { ProfileReport } from './profile.ts'
import { legTable, summarise } from './summary.ts'
import { figure, table } from './table.ts'

const options = readOptions(process.argv.slice(2))
const say = options.json ? (line: string) => console.error(line) : (line: string) => console.log(line)
const where = machine()
say(`${where.cpu}, ${where.cores} cores, ${where.memoryGiB} GiB, Node ${where.node}, load ${where.load}`)
if (!where.pinned)
  say('no taskset or one core only: bridge and load share what there is, figures are not comparable')

const transcode = options.parts.includes('transcode') ? await transcodeRows() : []
const legs = options.parts.includes('legs') ? await legRows(options) : undefined
const report = { machine: where, options, transcode, ...legs }
mkdirSync(dirname(options.out), { recursive: true })
writeFileSync(options.out, `${JSON.stringify(report, null, 2)}\n`)
if (options.json) console.log(JSON.stringify(report))
else say(`\nall rows in ${options.out}`)

async function transcodeRows(): Promise<readonly object[]> {
  const module = new URL('transcode.ts', import.meta.url)
  if (!existsSync(fileURLToPath(module))) return []
  const { benchTranscode } = await import(module.href)
  const rows: readonly object[] = await benchTranscode()
  const head = Object.keys(rows[0] ?? {})
  say(
    `\n${table(
      head,
      rows.map(row => Object.values(row).map(cell => (typeof cell === 'number' ? cell : String(cell)))),
    )}`,
  )
  return rows
}

async function legRows(wanted: BenchOptions): Promise<object> {
  // A bridge that is not there yet must not keep the floor from being measured.
  const bridge = fileURLToPath(new URL('bridge.ts', import.meta.url))
  const subjects = wanted.subjects.filter(subject => subject === 'floor' || existsSync(bridge))
  const { windows, profile } = await benchLegs({ ...wanted, subjects }, say)
  const rows = summarise(windows)
  say(`\n${legTable(rows)}`)
  if (profile) say(profileTables(profile))
  return { legs: rows, windows, ...(profile ? { profile } : {}) }
}

function profileTables({ packages, functions }: ProfileReport): string {
  const rows = (shares: ProfileReport['packages']) =>
    shares.map(({ name, share }) => [name, `${figure(share * 100)} %`])
  return [
    '\nWhere the bridge spends its time in JavaScript, idle left out:',
    table(['package or file', 'share'], rows(packages)),
    '',
    table(['function', 'share'], rows(functions)),
  ].join('\n')
}
