import { parseArgs } from 'node:util'

/** Target of the load: the whole bridge, or the minimum that does the signaling. */
export type Subject = 'floor' | 'bridge'

const PARTS = ['transcode', 'legs', 'calls', 'talkers', 'lag', 'discord', 'dashboard'] as const
type Part = (typeof PARTS)[number]

export interface BenchOptions {
  /** Numbers of legs, one after another. */
  legs: number[]
  /** Length of one measured window, seconds. */
  seconds: number
  /** Windows per subject and number of legs, floor and bridge in turn. */
  windows: number
  subjects: Subject[]
  /** Only JSON on standard output. */
  json: boolean
  /** How the service sends the translated voice: in one result per answer, or in pieces. */
  mode: 'block' | 'streaming'
  /** Node flags for floor and bridge; by default those of `npm start`. */
  node: string[]
  /** Schedules the bench before everything else on the machine, so that other work hardly shows. Requires root. */
  realtime: boolean
  /** Runs the bridge under the CPU profiler and reports where its time is spent. */
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

const USAGE = `npm run bench -- [options]
  --legs 25,50,100,200,300   numbers of legs
  --seconds 10               length of a measured window
  --windows 2                windows per subject and number of legs, taken in turn
  --only floor|bridge        only one subject
  --part transcode|legs|calls|talkers|lag|discord|dashboard   only one part
  --calls 50                 two-party calls
  --talkers 1,2,4,8          numbers of simultaneous talkers
  --speakers 10,50           numbers of speakers in Discord's channels, five in each
  --room 8                   repeat the largest number with this many sessions
  --mode block|streaming     how the service sends the voice (default block)
  --node=FLAG                Node flags for floor and bridge (default: as npm start)
  --realtime                 schedule the bench before everything else (root, chrt)
  --profile                  profile the bridge's CPU time, at the largest number of legs
  --json                     JSON on standard output instead of tables
  --out FILE                 default bench-results/bench.json`

/** Parses the command line. Exits with the usage for unknown options. */
export function readOptions(argv: readonly string[]): BenchOptions {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        legs: { type: 'string', default: '25,50,100,200,300' },
        seconds: { type: 'string', default: '10' },
        windows: { type: 'string', default: '2' },
        only: { type: 'string' },
        part: { type: 'string' },
        calls: { type: 'string', default: '50' },
        talkers: { type: 'string', default: '1,2,4,8' },
        room: { type: 'string', default: '8' },
        speakers: { type: 'string', default: '10,50' },
        mode: { type: 'string', default: 'block' },
        node: { type: 'string', multiple: true, default: ['--max-semi-space-size=8'] },
        realtime: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        out: { type: 'string', default: 'bench-results/bench.json' },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) leave(USAGE, 0)
    const legs = values.legs.split(',').map(text => positive('--legs', text))
    const subjects = (['floor', 'bridge'] as const).filter(name => (values.only ?? name) === name)
    const parts = PARTS.filter(name => (values.part ?? name) === name)
    if (subjects.length === 0) throw new RangeError(`--only is floor or bridge, got ${values.only}`)
    if (parts.length === 0) throw new RangeError(`--part is one of ${PARTS.join(', ')}, got ${values.part}`)
    return {
      legs: values.profile ? [Math.max(...legs)] : legs,
      seconds: positive('--seconds', values.seconds),
      windows: values.profile ? 1 : positive('--windows', values.windows),
      subjects: values.profile ? ['bridge'] : subjects,
      mode: values.mode === 'streaming' ? 'streaming' : 'block',
      node: values.node,
      realtime: values.realtime,
      json: values.json,
      profile: values.profile,
      parts: values.profile ? ['legs'] : parts,
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

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1)
    throw new RangeError(`${name} wants whole numbers from 1, got ${text}`)
  return value
}

function leave(text: string, status: number): never {
  console.error(text)
  process.exit(status)
}
