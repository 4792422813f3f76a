/**
 * Delay of the event loop while neural models decode: four speakers at real time, in two child processes. The model costs
 * about as much as a large one, so the processes keep two cores busy. `--json` prints the rows instead of a table,
 * `--seconds` sets the duration of each measurement (default: 20).
 */
import { readFile } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { systemClock, Ticker } from '../../src/common/clock.ts'
import { SherpaRecognizer } from '../../src/service/engines/local/sherpa/sherpa-recognizer.ts'
import { FRAME_MS } from '../../src/transcode/pcm.ts'
import { joined } from '../../test/support/engines/recordings.ts'
import { ctcFiles } from '../../test/support/engines/sherpa/streaming-tone-models.ts'
import { HeardTones, recognition, writeToneModels } from '../../test/support/engines/sherpa/tone-engines.ts'
import { tones } from '../../test/support/engines/sherpa/tone-words.ts'
import { quiet } from '../../test/support/transcode/tone.ts'
import { machine } from '../machine.ts'
import { table } from '../table.ts'

const SPEAKERS = 4
/** A client sends three frames at a time. */
const FRAGMENT_MS = 3 * FRAME_MS
/** Matrices of the model; 40 take about 0.15 s of CPU time for a second of audio on the machine of docs/performance.md. */
const LAYERS = 40
/** Units of a process's CPU time in `/proc`. */
const TICKS_PER_SECOND = 100

const { values } = parseArgs({ options: { json: { type: 'boolean' }, seconds: { type: 'string' } } })
const seconds = Number(values.seconds ?? 20)
if (!(seconds >= 1)) throw new RangeError(`--seconds must be at least 1, got ${values.seconds}`)

interface Row {
  what: string
  p50: number
  p99: number
  max: number
  /** CPU time of this process and of the child processes per second (s). */
  cpuHere: number
  cpu: number
  utterances: number
  /** Delay of recognition at the end (ms). */
  behindMs: number
}

/** Feeds `speakers` streams at real time and measures the event loop of this process. */
async function measured(what: string, engine: SherpaRecognizer, speakers: number): Promise<Row> {
  const speech = joined(tones('one two three four five six'), quiet(900))
  const fragment = FRAGMENT_MS * 16
  const heard = Array.from({ length: speakers }, () => new HeardTones())
  const streams = await Promise.all(heard.map(each => engine.open('en-us', each)))
  const before = await cpuSeconds(engine.pids)
  const here = process.cpuUsage()
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let sent = 0
  const ticker = new Ticker(systemClock, FRAGMENT_MS, () => {
    const at = (sent++ * fragment) % (speech.length - fragment)
    for (const stream of streams) stream.write(speech.subarray(at, at + fragment))
  })
  await new Promise(resolve => setTimeout(resolve, seconds * 1_000))
  ticker[Symbol.dispose]()
  delay.disable()
  const cpu = ((await cpuSeconds(engine.pids)) - before) / seconds
  const { user, system } = process.cpuUsage(here)
  const behindMs = Math.max(0, ...streams.map(stream => stream.behindMs))
  await Promise.all(streams.map(stream => stream.close()))
  // The histogram contains the resolution (1 ms) itself.
  const ms = (ns: number) => Math.max(0, ns / 1e6 - 1)
  return {
    what,
    ...{ p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max) },
    cpuHere: (user + system) / 1e6 / seconds,
    cpu,
    utterances: heard.reduce((sum, { finals }) => sum + finals.length, 0),
    behindMs: Math.round(behindMs),
  }
}

async function cpuSeconds(pids: readonly number[]): Promise<number> {
  const stats = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/stat`, 'utf8')))
  const ticks = stats.map(stat => {
    // Fields 14 and 15, counted from the name, which can contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND
}

await using models = await writeToneModels()
const model = await models.write('heavy', ctcFiles({ layers: LAYERS }))
const engine = await SherpaRecognizer.create(recognition({ model, processes: 2 }), systemClock)
const rows = [await measured('idle', engine, 0), await measured(`${SPEAKERS} speakers`, engine, SPEAKERS)]
await engine.close()

const where = machine()
if (values.json) console.log(JSON.stringify({ machine: where, rows }, undefined, 2))
else {
  console.log(`${where.cpu}, ${where.cores} cores, Node ${where.node}, load ${where.load}\n`)
  const head = [
    '',
    'event loop p50 (ms)',
    'p99 (ms)',
    'max (ms)',
    'CPU here (s/s)',
    'of the processes (s/s)',
    'utterances',
    'lag (ms)',
  ]
  console.log(
    table(
      head,
      rows.map(row => [
        row.what,
        row.p50,
        row.p99,
        row.max,
        row.cpuHere,
        row.cpu,
        row.utterances,
        row.behindMs,
      ]),
    ),
  )
}
