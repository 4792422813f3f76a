import { parseArgs } from 'node:util'
import { MEMORY_FLAGS } from '../src/common/memory-flags.ts'
import { CHANNELS, type Channel } from './callers.ts'
import { STARTS, type Start } from './starts.ts'
import { SUBJECTS, type Subject } from './subjects.ts'
import { LOADS, type Load } from './voices.ts'

const PARTS = ['transcode', 'legs', 'calls', 'talkers', 'lag', 'discord'] as const
type Part = (typeof PARTS)[number]

export interface BenchOptions {
  /** Numbers of legs, one after another. */
  legs: number[]
  /** Length of one measured window, seconds. */
  seconds: number
  /** Windows per subject and number of legs, all subjects in turn. */
  windows: number
  subjects: Subject[]
  /** How `dragoman serve` is started. */
  start: Start
  /** The speech of the participants. */
  load: Load
  /** The connection of the participants: by phone, the talk page, or a Discord voice channel. */
  channel: Channel
  /** True if results of the service contain `endMs`. */
  endMs: boolean
  /** Length of one long window, minutes, with the memory every ten seconds. */
  minutes: number | undefined
  /** Observes garbage collection and event loop from inside the process. */
  observe: boolean
  /** Only JSON on standard output. */
  json: boolean
  /** The form of the translated voice: in one result per answer, or in pieces. */
  mode: 'block' | 'streaming'
  /** Node flags for all subjects but `served`; by default those of `dragoman serve`. */
  node: string[]
  /** Schedules the bench before everything else on the machine, so that other work hardly shows. Requires root. */
  realtime: boolean
  /** Runs a subject under the CPU profiler and reports where its time is spent. */
  profile: boolean
  /** Parts to run. */
  parts: Part[]
  /** Two-party calls. */
  calls: number
  /** Simultaneous talkers, one number after another. */
  talkers: number[]
  /** Sessions beyond the service's own limit: the largest number of talkers is repeated with it. */
  room: number
  /** Speakers in Discord's voice channels, one number after another; five in each. */
  speakers: number[]
  /** Output file with all rows. */
  out: string
}

/** Subjects of the table. */
const USUAL: readonly Subject[] = ['floor', 'floor-lead', 'served']

const USAGE = `npm run bench -- [options]
  --part transcode|legs|calls|talkers|lag|discord   only one part
  --json                     JSON on standard output instead of tables
  --out FILE                 default bench-results/bench.json
  --realtime                 schedule the bench before everything else (root, chrt)
Part legs:
  --legs 50,100,200,300      numbers of legs
  --seconds 10               length of a measured window
  --windows 2                windows per subject and number of legs, taken in turn
  --only NAMES               ${SUBJECTS.join(', ')} (default: ${USUAL.join(', ')})
  --start ${STARTS.join('|')}   how served is started (default npm: as npm start)
  --load ${LOADS.join('|')}   what the phones say (default speech)
  --channel ${CHANNELS.join('|')}   phones; or, at served, talk pages or members of Discord channels
  --end-ms yes|no            whether results contain endMs (default yes)
  --mode streaming|block     how the service sends the voice (default streaming, as by default)
  --minutes 10               one long window, with the growth of memory; default served with 200 legs
  --observe                  garbage collection, event loop delay and memory, by a module in the process
  --profile                  profile the CPU time of served, or of --only, at the largest number of legs
  --node=FLAG                Node flags for all but served (default: as dragoman serve)
Other parts:
  --calls 50                 two-party calls
  --talkers 1,2,4,8          numbers of simultaneous talkers
  --room 8                   repeat the largest number with this many sessions
  --speakers 10,50           numbers of speakers in Discord's channels, five in each`

const LEGS = '50,100,200,300'
const LEGS_OF_LONG_RUN = '200'
/** Three digits of a language identify a leg. */
const MOST_LEGS = 1_000

/** Parses the command line. Exits with the usage for unknown options. */
export function readOptions(argv: readonly string[]): BenchOptions {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        legs: { type: 'string' },
        seconds: { type: 'string', default: '10' },
        windows: { type: 'string', default: '2' },
        only: { type: 'string' },
        start: { type: 'string', default: 'npm' },
        load: { type: 'string', default: 'speech' },
        channel: { type: 'string', default: 'phone' },
        'end-ms': { type: 'string', default: 'yes' },
        minutes: { type: 'string' },
        observe: { type: 'boolean', default: false },
        part: { type: 'string' },
        calls: { type: 'string', default: '50' },
        talkers: { type: 'string', default: '1,2,4,8' },
        room: { type: 'string', default: '8' },
        speakers: { type: 'string', default: '10,50' },
        mode: { type: 'string', default: 'streaming' },
        node: { type: 'string', multiple: true, default: [...MEMORY_FLAGS] },
        realtime: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        out: { type: 'string', default: 'bench-results/bench.json' },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) leave(USAGE, 0)
    const long = values.minutes !== undefined
    const legs = (values.legs ?? (long ? LEGS_OF_LONG_RUN : LEGS))
      .split(',')
      .map(text => positive('--legs', text, MOST_LEGS))
    const single: readonly Subject[] = ['served']
    const subjects = values.only
      ? values.only.split(',').map(text => oneOf('--only', SUBJECTS, text))
      : long || values.profile || values.channel !== 'phone'
        ? single
        : USUAL
    if ((long || values.profile) && (values.part ?? 'legs') !== 'legs')
      throw new RangeError(`--minutes and --profile are for --part legs, got ${values.part}`)
    if (values.profile && subjects.length > 1)
      throw new RangeError(`--profile is for one subject, got --only ${values.only}`)
    if (values.channel !== 'phone' && subjects.some(subject => !subject.startsWith('served')))
      throw new RangeError(`--channel ${values.channel} is for --only served, got ${values.only}`)
    const parts = values.part === undefined ? PARTS : [oneOf('--part', PARTS, values.part)]
    return {
      legs: values.profile ? [Math.max(...legs)] : legs,
      seconds: positive('--seconds', values.seconds),
      windows: values.profile || long ? 1 : positive('--windows', values.windows),
      subjects: [...subjects],
      start: oneOf('--start', STARTS, values.start),
      load: oneOf('--load', LOADS, values.load),
      channel: oneOf('--channel', CHANNELS, values.channel),
      endMs: oneOf('--end-ms', ['yes', 'no'], values['end-ms']) === 'yes',
      minutes: values.minutes === undefined ? undefined : positive('--minutes', values.minutes),
      observe: values.observe,
      mode: oneOf('--mode', ['streaming', 'block'], values.mode),
      node: values.node,
      realtime: values.realtime,
      json: values.json,
      profile: values.profile,
      parts: values.profile || long ? ['legs'] : [...parts],
      calls: positive('--calls', values.calls),
      talkers: values.talkers.split(',').map(text => positive('--talkers', text)),
      room: positive('--room', values.room),
      speakers: values.speakers.split(',').map(text => positive('--speakers', text)),
      out: values.out,
    }
  } catch (error) {
    return leave(`${error instanceof Error ? error.message : error}\n\n${USAGE}`, 2)
  }
}

function positive(name: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new RangeError(
      `${name} wants whole numbers from 1${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}, got ${text}`,
    )
  return value
}

function oneOf<T extends string>(name: string, known: readonly T[], text: string): T {
  const found = known.find(each => each === text)
  if (found === undefined) throw new RangeError(`${name} is one of ${known.join(', ')}, got ${text}`)
  return found
}

function leave(text: string, status: number): never {
  console.error(text)
  process.exit(status)
}
