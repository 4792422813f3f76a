import { parseArgs } from 'node:util'
import { ServiceProcess } from '../src/service/server/process/service-process.ts'
import { cpuOf, rssOf } from './proc-stat.ts'
import { table } from './table.ts'
import { type Script, script } from './talkers/script.ts'
import { talk } from './talkers/talker.ts'

/** Delay between the starts of two talkers, so that they do not all end at once (ms). */
const STAGGER_MS = 370
const HEAD = [
  ...['talkers', 'maxSessions', 'rejected', 'warned', 'sentences', 'p50 ms', 'p95 ms', 'max ms'],
  ...['CPU % of a core', 'memory MB'],
]

/**
 * `npm run bench talkers -- --talkers 1,2,4,8 --sessions 8`: prints how long a listener waits when several people talk at the same
 * time to the embedded service with the installed engines, from the end of a sentence to the first byte of its mp3, and what
 * that costs. The largest number is repeated with the given `maxSessions`.
 */
export async function benchTalkers(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: {
      talkers: { type: 'string', default: '1,2,4,8' },
      sessions: { type: 'string', default: '8' },
    },
  })
  const numbers = values.talkers.split(',').map(Number)
  const said = script()
  const rows: (string | number)[][] = []
  for (const talkers of numbers) rows.push(await measure(talkers, undefined, said))
  rows.push(await measure(Math.max(...numbers), Number(values.sessions), said))
  console.log(table(HEAD, rows))
}

async function measure(
  talkers: number,
  maxSessions: number | undefined,
  said: Script,
): Promise<(string | number)[]> {
  const service = await ServiceProcess.start({ apiKeys: ['bench'], maxSessions })
  const before = cpuOf(service.pid!)
  const begin = performance.now()
  const all = await Promise.all(
    Array.from({ length: talkers }, (_, index) => talk(service.url, 'bench', said, index * STAGGER_MS)),
  )
  const after = cpuOf(service.pid!)
  const cpuMs = after.user + after.system - before.user - before.system
  const cpu = (cpuMs * 100) / (performance.now() - begin)
  const memoryMb = rssOf(service.pid!) / 1_024
  await service.close()
  const served = all.filter(each => each !== undefined)
  const sorted = served.flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b)
  const at = (part: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
  return [
    ...[talkers, maxSessions ?? 'default', talkers - served.length, served.filter(({ told }) => told).length],
    ...[sorted.length, at(0.5), at(0.95), at(1), Math.round(cpu), Math.round(memoryMb)],
  ]
}
