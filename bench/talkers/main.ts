/**
 * How long a listener waits: end of a sentence → first byte of its mp3, for 1, 2, 4 … simultaneous talkers, with the
 * installed engines in their own process, and what a session costs. Talkers beyond the room for sessions are refused, as
 * they are in earnest; `--room <sessions>` makes more. `node bench/talkers/main.ts [--room <sessions>] [talkers…]`
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ServiceProcess } from '../../src/service/server/child.ts'
import { machine } from '../machine.ts'
import { cpuOf } from '../proc-stat.ts'
import { table } from '../table.ts'
import { script } from './script.ts'
import { talk } from './talker.ts'

/** Steps between the beginnings of two talkers, so that they do not all end at once (ms). */
const STAGGER_MS = 370

const { values, positionals } = parseArgs({ options: { room: { type: 'string' } }, allowPositionals: true })
const room = values.room === undefined ? {} : { maxSessions: Number(values.room) }
const counts = positionals.map(Number)
const said = script()
const rows: (string | number)[][] = []
for (const talkers of counts.length > 0 ? counts : [1, 2, 4, 8]) rows.push(await measure(talkers))
const { cpu, cores, node, load } = machine()
console.log(`${cpu}, ${cores} cores, Node ${node}, load ${load}`)
console.log(
  table(
    [
      'talkers',
      'refused',
      'sentences',
      'p50 ms',
      'p95 ms',
      'max ms',
      'CPU % of a core',
      'RSS MB idle',
      'RSS MB',
      'apertium PSS MB',
    ],
    rows,
  ),
)

async function measure(talkers: number): Promise<number[]> {
  const service = await ServiceProcess.start({ apiKeys: ['bench'], ...room })
  const idle = memoryMb(service.pid!, 'VmRSS')
  const before = cpuOf(service.pid!)
  const begin = performance.now()
  const all = await Promise.all(
    Array.from({ length: talkers }, (_, index) => talk(service.url, 'bench', said, index * STAGGER_MS)),
  )
  const after = cpuOf(service.pid!)
  const share =
    ((after.user + after.system - before.user - before.system) * 100) / (performance.now() - begin)
  const busy = memoryMb(service.pid!, 'VmRSS')
  const pipelines = pipelineMb()
  await service.close()
  const served = all.filter(each => each !== undefined)
  const sorted = served.flat().toSorted((a, b) => a - b)
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  const refused = talkers - served.length
  return [talkers, refused, sorted.length, at(0.5), at(0.95), at(1), share, idle, busy, pipelines].map(
    Math.round,
  )
}

function memoryMb(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024
}

/** What the translation processes hold, shared pages counted once. */
function pipelineMb(): number {
  const pids = execFileSync('ps', ['-A', '-o', 'pid=,comm='], { encoding: 'utf8' })
    .split('\n')
    .filter(line => /lt-proc|apertium|lrx-proc/.test(line))
    .map(line => Number(line.trim().split(/\s+/)[0]))
  const kb = pids.map(pid =>
    Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0),
  )
  return kb.reduce((sum, each) => sum + each, 0) / 1024
}
