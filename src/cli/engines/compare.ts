import { type Clock, systemClock } from '../../common/clock.ts'
import type { LanguageId } from '../../common/language.ts'
import type { Config } from '../../config/load.ts'
import { decodeMulaw, encodeMulaw } from '../../transcode/g711.ts'
import { createResampler } from '../../transcode/resample/resampler.ts'
import { CommandError } from '../errors.ts'
import { type Terminal, tableLines } from '../terminal.ts'
import { type ConfiguredEngine, configuredEngines, type openAlone } from './configured-engines.ts'
import { testEngine } from './engine-test.ts'
import { errorRate, readSentences, type WordErrors, wordErrors } from './sentences.ts'
import { selectEngines } from './test-report.ts'

export interface CompareOptions {
  readonly from: LanguageId
  readonly to: LanguageId
  /** Folder with recordings and their `transcripts.json`; default: the bundled ones. */
  readonly folder?: string | undefined
  readonly live?: boolean | undefined
  readonly json?: boolean | undefined
  readonly clock?: Clock
  readonly open?: typeof openAlone
}

/** The output of one engine for all sentences over one line. */
interface Measured {
  readonly engine: string
  readonly line: keyof typeof LINES
  readonly words: number
  /** Percent. */
  readonly wordErrorRate: number
  /** From the end of a sentence to its final text (ms). */
  readonly latencyMs: { readonly p50: number; readonly max: number }
  /** Absent without a price. */
  readonly cost?: { readonly currency: string; readonly amount: number } | undefined
  /** Sentences without a result. */
  readonly failures: readonly string[]
}

/** Transmission of a voice. */
const LINES = { wide: (pcm: Int16Array) => pcm, phone: byTelephone } as const
const LINE_NAMES = { wide: '16 kHz', phone: 'phone' } as const

/** Differences below this are not significant: of the 70 bundled words, one is 1.4 points (percentage points). */
const SIGNIFICANT_POINTS = 5

/**
 * `dragoman engines compare`: plays recordings at real time into two engines, at 16 kHz and as over a phone, and compares
 * word errors, latency and cost. Returns the exit code: 1 if a sentence failed.
 */
export async function compareEngines(
  config: Config,
  [first, second]: readonly [string, string],
  options: CompareOptions,
  terminal: Terminal,
): Promise<number> {
  const hearing = configuredEngines(config.embedded).filter(
    ({ kind }) => kind === 'transcription' || kind === 'interpretation',
  )
  const engines = [first, second].map(name => selectEngines(hearing, name)[0]!)
  for (const engine of engines)
    if (!engine.local && !options.live)
      throw new CommandError(`${engine.name} is at ${engine.host}: add --live to contact it`)
  const sentences = await readSentences(options.from, options.folder)
  const measured: Measured[] = []
  for (const line of Object.keys(LINES) as (keyof typeof LINES)[])
    for (const engine of engines) {
      const done = (index: number) =>
        `${engine.name}, ${LINE_NAMES[line]}: ${index + 1} of ${sentences.length} …`
      const sent = sentences.map(each => ({ ...each, pcm: LINES[line](each.pcm) }))
      measured.push(await measure(engine, line, sent, options, index => terminal.status(done(index))))
    }
  terminal.status('')
  const verdicts = (Object.keys(LINES) as (keyof typeof LINES)[]).map(line =>
    verdictOf(
      line,
      measured.filter(each => each.line === line),
    ),
  )
  if (options.json) terminal.line(JSON.stringify({ measured, verdicts }, undefined, 2))
  else print(measured, verdicts, terminal)
  return measured.some(({ failures }) => failures.length > 0) ? 1 : 0
}

async function measure(
  engine: ConfiguredEngine,
  line: keyof typeof LINES,
  sentences: readonly {
    readonly file: string
    readonly language: LanguageId
    readonly text: string
    readonly pcm: Int16Array
  }[],
  { to, clock = systemClock, open }: CompareOptions,
  began: (index: number) => void,
): Promise<Measured> {
  const errors: WordErrors[] = []
  const latencies: number[] = []
  const failures: string[] = []
  let cost: Measured['cost']
  for (const [index, sentence] of sentences.entries()) {
    began(index)
    const result = await testEngine(engine, {
      sentence: { ...sentence, transcribed: true },
      ...{ to, live: true, clock, open },
    })
    errors.push(wordErrors(sentence.text, result.text ?? ''))
    if (result.outcome !== 'ok') failures.push(`${sentence.file}: ${result.reason}`)
    else if (result.times?.final !== undefined) latencies.push(Math.round(result.times.final))
    if (result.cost)
      cost = { currency: result.cost.currency, amount: (cost?.amount ?? 0) + result.cost.amount }
  }
  latencies.sort((a, b) => a - b)
  return {
    ...{ engine: engine.name, line, failures, cost },
    words: errors.reduce((sum, { words }) => sum + words, 0),
    wordErrorRate: Math.round(errorRate(errors) * 10) / 10,
    latencyMs: { p50: latencies[Math.ceil(latencies.length / 2) - 1] ?? 0, max: latencies.at(-1) ?? 0 },
  }
}

/** Names the engine with fewer word errors, or `no difference` below five points. */
function verdictOf(line: keyof typeof LINES, measured: readonly Measured[]): string {
  const [best, other] = measured.toSorted((a, b) => a.wordErrorRate - b.wordErrorRate)
  const points = other!.wordErrorRate - best!.wordErrorRate
  const name = LINE_NAMES[line]
  if (points < SIGNIFICANT_POINTS) return `${name}: no difference (less than ${SIGNIFICANT_POINTS} points)`
  return `${name}: ${best!.engine} makes fewer word errors, by ${points.toFixed(1)} points`
}

function print(measured: readonly Measured[], verdicts: readonly string[], terminal: Terminal): void {
  const head = ['engine', 'line', 'words', 'word errors', 'latency p50', 'max', 'cost']
  const rows = measured.map(({ engine, line, words, wordErrorRate, latencyMs, cost }) => [
    ...[engine, LINE_NAMES[line], `${words}`, `${wordErrorRate.toFixed(1)} %`],
    ...[`${latencyMs.p50} ms`, `${latencyMs.max} ms`],
    cost ? `${cost.amount.toPrecision(2)} ${cost.currency}` : '',
  ])
  for (const line of tableLines([head, ...rows])) terminal.line(line)
  for (const { engine, failures } of measured)
    for (const failure of failures) terminal.line(`${engine}: ${failure}`)
  for (const verdict of verdicts) terminal.line(verdict)
}

/** As over a call: 8 kHz, G.711, and back. */
function byTelephone(pcm: Int16Array): Int16Array {
  const narrow = createResampler(16_000, 8_000).process(pcm).slice()
  const mulaw = new Uint8Array(narrow.length)
  encodeMulaw(narrow, mulaw)
  decodeMulaw(mulaw, narrow)
  return createResampler(8_000, 16_000).process(narrow).slice()
}
