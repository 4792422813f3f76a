/**
 * `npm run bench legs`: CPU, memory and latency of phone legs in `dragoman serve`, as users start it, beside a relay without audio
 * processing (the floor), or beside another checkout.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { canPin } from './legs/process.ts'
import { type ProfileReport, reportProfile } from './legs/profile.ts'
import { growthOf } from './legs/rss-log.ts'
import { LOADS } from './legs/voices.ts'
import { measure, ROOT, type Subject, type Window, type WindowOptions } from './legs/window.ts'
import { mean, median } from './stats.ts'
import { figure, table } from './table.ts'

const USAGE = `npm run bench legs -- [options]
  --legs 50,100,200    numbers of legs, one after another
  --windows 4          windows per number of legs, each with new processes
  --seconds 15         length of a window
  --load speech        what the phones say: ${LOADS.join(', ')}
  --against FOLDER     another checkout, with its dependencies: both at once on one core, and no floor
  --minutes 10         one long window, with the growth of memory
  --profile            where the CPU time of one window goes`

/** Three digits of a language identify a leg. */
const MOST_LEGS = 1_000
/** Answers fill 86 % of the time; with a much lower share, sound was lost, which improves the other figures. */
const SOUND_PERCENT = 80
/** Above this share of its core (%), a program is behind: it does less than it is asked to. */
const FULL_PERCENT = 90

const HERE: Subject = { name: 'served', root: ROOT }
const FLOOR: Subject = { name: 'floor', root: undefined }

/** Runs the command line and prints tables in Markdown. */
export async function benchLegs(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: {
      legs: { type: 'string', default: '50,100,200' },
      windows: { type: 'string', default: '4' },
      seconds: { type: 'string', default: '15' },
      load: { type: 'string', default: 'speech' },
      against: { type: 'string' },
      minutes: { type: 'string' },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  const load = LOADS.find(name => name === values.load)
  if (!load) throw new RangeError(`--load is one of ${LOADS.join(', ')}, got ${values.load}`)
  if (!canPin()) console.log('no taskset, or one core only: figures are not comparable')
  const minutes = values.minutes === undefined ? undefined : positive('--minutes', values.minutes)
  const alone = minutes !== undefined || values.profile
  const numbers = values.legs.split(',').map(text => positive('--legs', text, MOST_LEGS))
  const rounds = alone ? 1 : positive('--windows', values.windows)
  const other = values.against === undefined ? undefined : resolve(values.against)
  const windows: Window[] = []
  const folder = values.profile ? mkdtempSync(join(tmpdir(), 'dragoman-bench-')) : undefined
  try {
    for (const legs of numbers) {
      const options: WindowOptions = {
        ...{ legs, load, memory: minutes !== undefined },
        windowMs: minutes === undefined ? positive('--seconds', values.seconds) * 1_000 : minutes * 60_000,
        flags: folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [],
      }
      for (let round = 0; round < rounds; round++)
        for (const subjects of line(round, other, alone)) {
          const measured = await measure(subjects, options)
          for (const window of measured) console.log(describe(window))
          windows.push(...measured)
        }
    }
    console.log(`\n${legTable(windows)}`)
    if (other !== undefined) console.log(`\n${pairs(windows)}`)
    if (minutes !== undefined) console.log(`\n${growth(windows)}`)
    if (folder) {
      const { openedAfterMs: fromMs, windowMs } = windows.at(-1)!
      console.log(`\n${profileTables(reportProfile(folder, { fromMs, untilMs: fromMs + windowMs }))}`)
    }
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true })
  }
}

/** What runs in a round: one group after another, those of a group at once. */
function line(round: number, other: string | undefined, alone: boolean): Subject[][] {
  if (other !== undefined) return [[HERE, { name: 'other', root: other }]]
  if (alone) return [[HERE]]
  // Back and forth: a slow change of the machine then affects both alike.
  return round % 2 === 0 ? [[FLOOR], [HERE]] : [[HERE], [FLOOR]]
}

/** One line about a window, while the bench runs. */
function describe({ subject, legs, cpuMs, rssPerLegKiB, othersPercent, figures }: Window): string {
  return [
    `${subject}, ${legs} legs: ${cpuMs.toFixed(2)} ms CPU per leg-second`,
    `${rssPerLegKiB.toFixed(0)} KiB per leg`,
    `${figures.gaps} underruns`,
    `${figures.framesLost} frames and ${figures.legsLost} legs lost`,
    `others used ${othersPercent.toFixed(0)} % of the core`,
  ].join(', ')
}

/** Means over the windows, sums of faults; one row per subject and number of legs. */
export function legTable(windows: readonly Window[]): string {
  const rows = Array.from(new Set(windows.map(({ legs }) => legs))).flatMap(legs =>
    Array.from(new Set(windows.map(({ subject }) => subject)), subject => {
      const own = windows.filter(each => each.legs === legs && each.subject === subject)
      const over = (of: (window: Window) => number) => mean(own.map(of))
      const floor = windows.filter(each => each.legs === legs && each.subject === FLOOR.name)
      const cpuMs = over(each => each.cpuMs)
      return [
        subject,
        legs,
        cpuMs,
        floor.length > 0 ? cpuMs / mean(floor.map(each => each.cpuMs)) : Number.NaN,
        over(each => each.corePercent),
        over(each => each.rssPerLegKiB),
        over(each => each.figures.uplinkMs.p50),
        over(each => each.figures.uplinkMs.p99),
        over(each => each.figures.uplinkOverPlaybackMs.p99),
        over(each => each.figures.speechEndMs.p50),
        over(each => each.figures.downlinkMs.p50),
        over(each => each.figures.downlinkMs.p99),
        own.reduce((sum, each) => sum + each.figures.gaps, 0),
        own.reduce((sum, each) => sum + each.figures.framesLost + each.figures.legsLost, 0),
        remark(own),
      ]
    }),
  )
  const head = [
    ...['subject', 'legs', 'CPU ms/leg-s', '× floor', 'core %', 'KiB/leg'],
    ...['uplink p50 ms', 'p99', 'over playback p99', 'speech end p50', 'downlink p50', 'p99'],
    ...['underruns', 'lost', 'remark'],
  ]
  return table(head, rows)
}

function remark(own: readonly Window[]): string {
  if (own.some(({ figures }) => figures.soundPercent > 0 && figures.soundPercent < SOUND_PERCENT))
    return 'sound is missing, CPU is too low'
  return own.some(({ corePercent }) => corePercent > FULL_PERCENT) ? 'the core is full, CPU is too low' : ''
}

/** The ratio of both checkouts in each window, which the speed of the machine does not change. */
function pairs(windows: readonly Window[]): string {
  const numbers = Array.from(new Set(windows.map(({ legs }) => legs)))
  const of = (subject: string, legs: number) =>
    windows.filter(each => each.subject === subject && each.legs === legs)
  const rows = numbers.map(legs => {
    const [own, others] = [of(HERE.name, legs), of('other', legs)]
    const cpu = own.map((window, at) => window.cpuMs / others[at]!.cpuMs)
    const memory = own.map((window, at) => window.rssPerLegKiB / others[at]!.rssPerLegKiB)
    return [legs, median(cpu), Math.min(...cpu), Math.max(...cpu), median(memory)]
  })
  return table(['legs', 'CPU, served : other', 'least', 'most', 'memory'], rows)
}

function growth(windows: readonly Window[]): string {
  const rows = windows.map(({ subject, legs, rss }) => {
    const end = growthOf(rss)
    return [
      subject,
      legs,
      rss[0]?.rssMiB ?? Number.NaN,
      rss.at(-1)?.rssMiB ?? Number.NaN,
      end?.mib ?? Number.NaN,
    ]
  })
  return table(
    ['subject', 'legs', 'RSS at the start MiB', 'at the end', 'growth in the last 5 min MiB'],
    rows,
  )
}

function profileTables({ packages, functions }: ProfileReport): string {
  const rows = (shares: ProfileReport['packages']) =>
    shares.map(({ name, share }) => [name, `${figure(share * 100)} %`])
  return [
    table(['package or file', 'share'], rows(packages)),
    '',
    table(['function', 'share'], rows(functions)),
  ].join('\n')
}

function positive(name: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= most) return value
  throw new RangeError(
    `${name} wants whole numbers from 1${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}, got ${text}`,
  )
}
