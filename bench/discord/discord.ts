import type { Row } from '../alternate.ts'
import { cpuOf } from '../proc-stat.ts'
import { Child, runRealtime } from '../process.ts'
import { table } from '../table.ts'
import type { Counted, Joined, Open, Reported } from './channels.ts'
import { discordPrimitives } from './primitives.ts'

const SUBJECT_CORE = 0
const LOAD_CORE = 1
const WARM_MS = 3_000

export interface DiscordCase {
  readonly channels: number
  readonly speakers: number
  readonly dave: boolean
}

export interface DiscordRow extends DiscordCase {
  /** Percent of one core. */
  readonly cpu: number
  readonly loadCpu: number
  /** Percentage of spoken frames that reached legs. */
  readonly inPercent: number
  readonly lateMs: Counted['lateMs']
  readonly slots: number
  readonly slotsMissed: number
  readonly starved: number
  readonly lost: number
  readonly undecryptable: number
  /** Missing and broken packets of the bots at the server. */
  readonly gaps: number
  readonly broken: number
}

export interface DiscordReport {
  readonly primitives: readonly Row[]
  readonly channels: readonly DiscordRow[]
}

/** Cost of Discord's media: a single packet, and whole channels in which everyone talks all the time. */
export async function benchDiscord(
  cases: readonly DiscordCase[],
  { seconds, node, realtime }: { seconds: number; node: readonly string[]; realtime: boolean },
  say: (line: string) => void,
): Promise<DiscordReport> {
  const primitives = discordPrimitives()
  const channels: DiscordRow[] = []
  for (const one of cases) {
    say(`${one.speakers} speakers in ${one.channels} channels, ${one.dave ? 'DAVE' : 'no DAVE'} …`)
    channels.push(await measure(one, seconds * 1_000, node, realtime))
  }
  return { primitives, channels }
}

async function measure(
  one: DiscordCase,
  windowMs: number,
  node: readonly string[],
  realtime: boolean,
): Promise<DiscordRow> {
  const args = [String(one.channels), String(one.speakers), one.dave ? 'dave' : 'plain']
  const load = Child.start('discord/load.ts', LOAD_CORE, args)
  const subject = Child.start('discord/subject.ts', SUBJECT_CORE, args, node)
  try {
    const open = await load.when<Open>('open')
    const joined = subject.when<Joined>('joined')
    subject.send(open)
    await joined
    if (realtime) for (const { pid } of [load, subject]) runRealtime(pid)
    load.send({ kind: 'talk', ms: WARM_MS + windowMs + 2_000 })
    await pause(WARM_MS)
    await counted(subject)
    const reportBefore = await reported(load)
    const before = [cpuOf(subject.pid), cpuOf(load.pid)]
    await pause(windowMs)
    const after = [cpuOf(subject.pid), cpuOf(load.pid)]
    const got = await counted(subject)
    const reportAfter = await reported(load)
    const share = (nth: 0 | 1) => {
      const [from, to] = [before[nth]!, after[nth]!]
      return ((to.user + to.system - from.user - from.system) * 100) / windowMs
    }
    const { lateMs, slotsMissed, starved, lost, undecryptable } = got
    return {
      ...one,
      cpu: share(0),
      loadCpu: share(1),
      inPercent: (got.framesIn * 100) / ((one.speakers * got.ms) / 20),
      lateMs,
      slots: got.packetsOut,
      ...{ slotsMissed, starved, lost, undecryptable },
      gaps: reportAfter.gaps - reportBefore.gaps,
      broken: reportAfter.broken - reportBefore.broken,
    }
  } finally {
    await subject.stop()
    await load.stop()
  }
}

function counted(subject: Child): Promise<Counted> {
  const answer = subject.when<Counted>('counted')
  subject.send({ kind: 'count' })
  return answer
}

function reported(load: Child): Promise<Reported> {
  const answer = load.when<Reported>('reported')
  load.send({ kind: 'report' })
  return answer
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

export function discordTables({ primitives, channels }: DiscordReport): string {
  const costs = table(
    ['what', 'candidate', 'µs per 20 ms', 'ms per second'],
    primitives.map(({ what, candidate, value }) => [what, candidate, value, (value * 50) / 1_000]),
  )
  const rows = channels.map(row => [
    ...[row.channels, row.speakers, row.dave ? 'yes' : 'no', row.cpu, row.inPercent],
    ...[row.lateMs.p50, row.lateMs.p99, row.lateMs.max, row.slots, row.slotsMissed, row.starved],
    ...[row.lost, row.undecryptable, row.gaps, row.broken, row.loadCpu],
  ])
  const head = [
    'channels',
    'speakers',
    'DAVE',
    'core %',
    'heard %',
    'slot late p50 ms',
    'p99 ms',
    'max ms',
    'slots',
  ]
  const more = ['missed', 'starved', 'lost', 'undecrypted', 'gaps there', 'broken there', 'load core %']
  return `${costs}\n\n${table([...head, ...more], rows)}`
}
