import { readFileSync } from 'node:fs'
import { ServiceProcess } from '../../src/service/server/process/service-process.ts'
import { cpuOf } from '../proc-stat.ts'
import { pipelineMb } from './pipelines.ts'
import { type Script, script } from './script.ts'
import { talk } from './talker.ts'

/** Delay between the starts of two talkers, so that they do not all end at once (ms). */
const STAGGER_MS = 370

/** Number of talkers, and of sessions; without `room` the service's own limit. */
export interface TalkerCase {
  readonly talkers: number
  readonly room?: number
}

/** Results. Latency is from the end of a sentence to the first byte of its mp3. */
export interface TalkerRow extends TalkerCase {
  readonly refused: number
  /** Talkers that the service warned that it falls behind. */
  readonly told: number
  readonly sentences: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly maxMs: number
  /** Maximum latency of talkers without a warning. */
  readonly maxUntoldMs: number
  /** CPU of the service process, percent of one core. */
  readonly cpu: number
  readonly idleMb: number
  readonly busyMb: number
  /** Memory of the translation processes, shared pages counted once. */
  readonly pipelinesMb: number
}

/**
 * Measures a listener's delay when 1, 2, 4 … talk at the same time, with the installed engines in their own process,
 * and the cost of a session.
 */
export async function benchTalkers(
  cases: readonly TalkerCase[],
  say: (line: string) => void,
): Promise<TalkerRow[]> {
  const said = script()
  const rows: TalkerRow[] = []
  for (const one of cases) {
    say(`${one.talkers} talkers${one.room === undefined ? '' : `, room for ${one.room}`} …`)
    rows.push(await measure(one, said))
  }
  return rows
}

async function measure(one: TalkerCase, said: Script): Promise<TalkerRow> {
  const { talkers, room } = one
  const service = await ServiceProcess.start({
    apiKeys: ['bench'],
    maxSessions: room,
  })
  const idleMb = memoryMb(service.pid!)
  const before = cpuOf(service.pid!)
  const begin = performance.now()
  const all = await Promise.all(
    Array.from({ length: talkers }, (_, index) => talk(service.url, 'bench', said, index * STAGGER_MS)),
  )
  const after = cpuOf(service.pid!)
  const cpuMs = after.user + after.system - before.user - before.system
  const cpu = (cpuMs * 100) / (performance.now() - begin)
  const busyMb = memoryMb(service.pid!)
  const pipelinesMb = pipelineMb()
  await service.close()
  const served = all.filter(each => each !== undefined)
  const sorted = served.flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b)
  const at = (part: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
  const untold = served.filter(({ told }) => !told).flatMap(({ latenciesMs }) => latenciesMs)
  return {
    ...one,
    refused: talkers - served.length,
    told: served.filter(({ told }) => told).length,
    sentences: sorted.length,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    maxMs: at(1),
    maxUntoldMs: Math.round(Math.max(0, ...untold)),
    cpu: Math.round(cpu),
    idleMb: Math.round(idleMb),
    busyMb: Math.round(busyMb),
    pipelinesMb: Math.round(pipelinesMb),
  }
}

function memoryMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}
