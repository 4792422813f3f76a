import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { PHONE_PROFILES } from '../../../simulator/index.ts'
import { type App, buildApp } from '../../app/app.ts'
import type { Config } from '../../app/settings/load.ts'
import type { CarrierName } from '../../bridges/phone/carriers.ts'
import { type Logger, noopLogger } from '../../common/log.ts'
import { ServiceClient, ServiceClientError } from '../../service/index.ts'
import { newKey } from '../../service/server/keys/key-store.ts'
import { encodeWav } from '../../transcode/wav.ts'
import { choices, type LiveSummary, LiveView } from '../call/live-view.ts'
import { openPhone } from '../call/phones.ts'
import { embeddedEngines } from '../engines.ts'
import { CommandError } from '../errors.ts'
import { bundledSentences, LINE_RATE, lineAudio, withPauses } from '../sample-audio.ts'
import { assertWritable, type Terminal } from '../terminal.ts'
import { type Latency, latencyOf } from './results.ts'
import { BREATH_MS, translationHeard } from './turn-taking.ts'

/** A translation service and the key for it. */
interface Asked {
  readonly url: string
  readonly apiKey: string
}

/**
 * Returns why the service does not translate between the languages, with those it supports; undefined if it does.
 * Rejects with a `ServiceClientError` if it cannot be queried.
 */
export async function languageProblem(service: Asked, from: string, to: string): Promise<string | undefined> {
  const client = new ServiceClient(service)
  try {
    const session = await client.openSession('/sts', { languageIdSource: from, languageIdTarget: to })
    await session.close()
    return undefined
  } catch (error) {
    if (!(error instanceof ServiceClientError) || !['bad_parameter', 'engine_missing'].includes(error.code))
      throw error
    const languages = await client.languages()
    const heard = languages.filter(each => each.transcription)
    const source = heard.find(each => each.languageId === from)
    const targets = new Set((source ? [source] : heard).flatMap(each => each.translation))
    const voiced = languages.filter(each => each.synthesis && targets.has(each.languageId))
    return [
      `the service says: ${error.description}`,
      `--from can be: ${choices(heard.map(each => each.languageId))}`,
      `--to can be${source ? ` from ${from}` : ''}: ${choices(voiced.map(each => each.languageId))}`,
    ].join('\n')
  }
}

/**
 * The bundled sentences that the offline engines handle well, by number. The recognizer makes errors in free speech, above
 * all by phone, but none with a closed vocabulary.
 */
const EASY = [
  { number: 2, words: 'he was not an ill disposed young man' },
  { number: 5, words: 'he might even have been made amiable himself' },
] as const

/** Settings of the offline engines for these sentences; sentence 2 has a word that the translator does not know. */
const EASY_ENGINES = {
  vocabulary: { glossary: [{ 'en-us': 'ill disposed', 'es-es': 'malintencionado' }] },
  engines: {
    pocketsphinx: { grammars: { demo: { phrases: EASY.map(({ words }) => words) } }, grammar: 'demo' },
  },
}

/** Audio that is sent ahead of real time, and the grid on which delays are measured (ms). */
const LEAD_MS = 200
const DELAY_RESOLUTION_MS = 10

const NOTE = [
  'NOTE: the offline engines handle these two sentences well, because the recognizer has a closed vocabulary of',
  'them, and the translator a glossary. In free speech they make errors. --engines plays all with your engines.',
]

export interface DemoOptions {
  /** Output file for the listener’s audio. */
  readonly output: string
  /** Replaces the bundled sentences. */
  readonly audio?: string | undefined
  readonly from: string
  readonly to: string
  /** Carrier of both phones. Default: `twilio`. */
  readonly carrier?: CarrierName | undefined
  readonly json?: boolean | undefined
  /** Settings whose service or engines translate all bundled sentences, instead of the offline engines. */
  readonly configured?: Config | undefined
}

/** Result of a demonstration, for scripts (`--json`). */
export interface DemoResult {
  readonly captions: readonly { from: string; to: string; text: string; translation: string }[]
  readonly latencyMs: Latency | undefined
  readonly gaps: number
  /** Maximum event loop delay (ms). Above 200 ms, playback has gaps: no more audio is sent ahead. */
  readonly longestDelayMs: number
  readonly warnings: readonly string[]
  readonly output: string
  readonly ok: boolean
}

/**
 * Runs a translated phone call on this machine: the embedded service, the bridge and two simulated phones: one plays a
 * real recording, the other listens. Returns the exit code. Rejects with a `CommandError` for invalid input.
 */
export async function demo(options: DemoOptions, terminal: Terminal, log: Logger): Promise<number> {
  const { configured } = options
  const sentences = await bundledSentences()
  const easy = EASY.flatMap(({ number }) => sentences[number - 1] ?? [])
  const files = options.audio ? [options.audio] : configured ? sentences : easy
  // Checked first, so that an unreadable or unwritable file fails before the engines start.
  await assertWritable(options.output)
  const speech = await Promise.all(files.map(lineAudio))
  terminal.line('Starting the translation service and the bridge …')
  const apiKey = newKey()
  await using app = await buildApp(demoConfig(options, apiKey), { log })
  const address = await app.listen()
  const service = {
    url: app.service?.url ?? configured?.service.url ?? '',
    apiKey: configured?.service.url === undefined ? apiKey : (configured.service.apiKey ?? ''),
  }
  const problem = await languageProblem(service, options.from, options.to)
  if (problem) throw new CommandError(problem)
  terminal.line(`Bridge on ${address}, ${app.service ? 'embedded ' : ''}service on ${service.url}.`)
  for (const line of await embeddedEngines(service.url)) terminal.line(line)
  if (!options.audio && !configured) for (const line of NOTE) terminal.line(line)
  terminal.line(`One phone speaks ${options.from}: ${files.map(file => basename(file)).join(', ')}`)
  terminal.line(`The other phone hears ${options.to}.`)
  const result = await converse(app, address, options, speech, terminal)
  if (options.json) process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`)
  else report(result, terminal)
  return result.ok ? 0 : 1
}

function demoConfig(
  { from, to, audio, configured, carrier = 'twilio' }: DemoOptions,
  apiKey: string,
): Parameters<typeof buildApp>[0] {
  const remote = configured?.service.url !== undefined
  return {
    host: '127.0.0.1',
    port: 0,
    service: remote ? configured.service : { apiKey },
    // No key file: the service is for this call only.
    embedded: configured
      ? { ...configured.embedded, port: 0, keyFile: undefined }
      : audio === undefined
        ? EASY_ENGINES
        : {},
    languages: { speaks: from, hears: to },
    twilio: { authToken: [], insecure: true },
    // Twilio’s section stays as it is.
    ...(carrier === 'twilio' ? {} : { [carrier]: { insecure: true } }),
  }
}

async function converse(
  app: App,
  address: string,
  options: DemoOptions,
  speech: readonly Int16Array[],
  terminal: Terminal,
): Promise<DemoResult> {
  const { from, to, output, carrier = 'twilio' } = options
  const dial = (query: string) =>
    openPhone({
      ...{ carrier, server: address, query: `room=demo&${query}`, log: noopLogger },
      // Requests are not verified; those of jambonz and Asterisk have a secret in any case.
      ...(PHONE_PROFILES[carrier] ? {} : { authToken: 'demo' }),
      ...{ onMark: () => {}, onMedia: () => {} },
    })
  const listener = await dial(`speaks=none&hears=${to}`)
  const caller = await dial(`speaks=${from}&hears=${from}`)
  using view = new LiveView(app.relay, terminal)
  view.start()
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
  delay.enable()
  for (const sentence of speech) {
    const said = caller.say(withPauses([sentence], BREATH_MS))
    await translationHeard(app, said)
  }
  await caller.hangUp()
  await listener.quietFor(300)
  await listener.hangUp()
  await writeFile(output, encodeWav(listener.heard(), LINE_RATE))
  delay.disable()
  const longestDelayMs = Math.max(0, Math.round(delay.max / 1e6) - DELAY_RESOLUTION_MS)
  return { ...resultOf(view.summary, listener.report(), output), longestDelayMs }
}

function resultOf(
  summary: LiveSummary,
  report: { gapCount: number; warnings: readonly { code: unknown }[] },
  output: string,
): Omit<DemoResult, 'longestDelayMs'> {
  const captions = summary.captions.map(({ from, to, text = '', translation = '' }) => ({
    from,
    to,
    text,
    translation,
  }))
  return {
    captions,
    latencyMs: latencyOf(summary.latenciesMs),
    gaps: report.gapCount,
    warnings: report.warnings.map(({ code }) => String(code)),
    output,
    ok: captions.length > 0 && summary.heard > 0 && report.warnings.length === 0,
  }
}

function report(result: DemoResult, terminal: Terminal): void {
  const { captions, latencyMs, gaps, longestDelayMs, warnings, output, ok } = result
  terminal.line()
  terminal.line(`${captions.length} utterances translated and played`)
  if (latencyMs)
    terminal.line(
      `end of speech → first translated frame: p50 ${(latencyMs.p50 / 1000).toFixed(2)} s, maximum ${(latencyMs.max / 1000).toFixed(2)} s`,
    )
  terminal.line(
    `${gaps} gaps in the audio of the listener${warnings.length ? `, protocol warnings ${warnings.join(' ')}` : ''}`,
  )
  if (gaps > 0 && longestDelayMs > LEAD_MS)
    terminal.line(
      `This machine was busy: the program was blocked for up to ${longestDelayMs} ms, and ${LEAD_MS} ms of audio are sent ahead.`,
    )
  terminal.line(`Audio of the listener: ${output}`)
  if (!ok) terminal.line('FAILED: no translation was played; run `dragoman doctor` to find what is missing.')
}
