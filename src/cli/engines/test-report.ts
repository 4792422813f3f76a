import { readFile } from 'node:fs/promises'
import type { Config } from '../../app/settings/load.ts'
import type { LanguageId } from '../../common/language.ts'
import { CommandError } from '../errors.ts'
import { sampleSentence, wideAudio } from '../sample-audio.ts'
import type { Colored, Terminal, TerminalText } from '../terminal.ts'
import { type ConfiguredEngine, configuredEngines } from './configured-engines.ts'
import type { RunTimes } from './engine-run.ts'
import { type EngineTest, type EngineTestOptions, type TestSentence, testEngine } from './engine-test.ts'

export interface TestEnginesOptions extends Pick<EngineTestOptions, 'clock' | 'open' | 'limitMs'> {
  /** Only engines of this name; `kind/name` selects one of several kinds. */
  readonly name?: string | undefined
  /** Replaces the bundled sentence, in `from`. */
  readonly text?: string | undefined
  /** A WAV file that replaces the bundled sentence; with `text`, its transcript. */
  readonly file?: string | undefined
  readonly from?: LanguageId | undefined
  readonly to?: LanguageId | undefined
  readonly live?: boolean | undefined
  readonly json?: boolean | undefined
}

/**
 * `dragoman engines test`: sends one sentence through each engine of the settings, one after the other, and prints what
 * came out, with the time of each step. Returns the exit code: 1 if an engine failed.
 */
export async function testEngines(
  config: Config,
  options: TestEnginesOptions,
  terminal: Terminal,
): Promise<number> {
  const engines = selectEngines(await configuredEngines(config.embedded), options.name)
  const sentence = await sentenceOf(options, config)
  const to = options.to ?? config.languages.hears
  const results: EngineTest[] = []
  for (const engine of engines) {
    if (!options.json) terminal.status(`${engine.kind} ${engine.name} …`)
    const { clock, open, limitMs, live = false } = options
    const result = await testEngine(engine, { sentence, to, live, clock, open, limitMs })
    terminal.status('')
    results.push(result)
    if (!options.json) for (const line of linesOf(result)) terminal.line(...line)
  }
  if (options.json) terminal.line(JSON.stringify(results, undefined, 2))
  return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0
}

/** Returns the engines called `name`, or all; throws a `CommandError` with the names if there is none. */
function selectEngines(engines: readonly ConfiguredEngine[], name: string | undefined): ConfiguredEngine[] {
  if (name === undefined) return [...engines]
  const found = engines.filter(each => each.name === name || `${each.kind}/${each.name}` === name)
  if (found.length > 0) return found
  const known = engines.map(each => `${each.kind}/${each.name}`).join(', ')
  throw new CommandError(`no engine is called "${name}"; the engines are ${known || 'all disabled'}`)
}

async function sentenceOf({ text, file, from }: TestEnginesOptions, config: Config): Promise<TestSentence> {
  const speaks = config.languages.speaks
  if (text === undefined && file === undefined) {
    const sample = await sampleSentence()
    return { language: sample.language, text: sample.text, pcm: sample.pcm, transcribed: true }
  }
  const language = from ?? speaks
  if (file === undefined) return { language, text: text ?? '', transcribed: false }
  // Read first, so that a missing file is named.
  await readFile(file)
  return { language, text: text ?? '', pcm: await wideAudio(file), transcribed: text !== undefined }
}

const SIGN: Readonly<Record<EngineTest['outcome'], Colored>> = {
  ok: { text: '✓', color: 'green' },
  failed: { text: '✗', color: 'red' },
  skipped: { text: '–', color: 'dim' },
}

function linesOf(test: EngineTest): TerminalText[][] {
  const { kind, engine, outcome, reason, from, to, text, translation, speech, times } = test
  const pair = [from, to].filter(each => each !== undefined).join(' → ')
  const head: TerminalText[] = [SIGN[outcome], ` ${kind}  ${engine}${pair === '' ? '' : `  ${pair}`}`]
  if (outcome !== 'ok') return [[...head, `  ${reason}`]]
  const costs =
    test.cost && test.cost.amount > 0 ? `${test.cost.amount.toPrecision(2)} ${test.cost.currency}` : undefined
  const facts = [
    ...(times ? describeTimes(times) : []),
    test.wordErrorRate === undefined ? undefined : `word errors ${test.wordErrorRate.toFixed(0)} %`,
    speech && speech.bytes > 0
      ? `${(speech.ms / 1_000).toFixed(1)} s of speech, ${speech.bytes} bytes`
      : undefined,
    costs && `cost ${costs}`,
  ].filter(fact => fact !== undefined)
  return [
    head,
    ...(text ? [[`  “${text}”`]] : []),
    ...(translation ? [[`  “${translation}”`]] : []),
    [`  ${facts.join(' · ')}`],
  ]
}

/** Describes the steps in order, each in milliseconds. */
function describeTimes({ open, firstText, final, translation, firstSound, total }: RunTimes): string[] {
  const steps = [
    ['opened in', open],
    ['first text after', firstText],
    ['final text after the sentence', final],
    ['translated in', translation],
    ['first sound after', firstSound],
    ['total', total],
  ] as const
  return steps.flatMap(([what, ms]) => (ms === undefined ? [] : [`${what} ${Math.round(ms)} ms`]))
}
