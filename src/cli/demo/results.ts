import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SimulatedCall } from '../../../simulator/index.ts'
import type { App } from '../../app/app.ts'
import type { LanguageId } from '../../common/language.ts'
import { bytesOf, SAMPLE_RATE } from '../../transcode/pcm.ts'
import { wavHeader } from '../../transcode/wav.ts'
import { LINE_RATE } from '../sample-audio.ts'
import type { Terminal } from '../terminal.ts'
import { type LagPoint, lagPlot } from './lag-plot.ts'
import { CALLEE, type ScriptLine } from './scripts.ts'

/** Speech that starts at `atMs` (clock ms). */
export interface Said {
  readonly atMs: number
  readonly pcm: Int16Array
}

/** Returns a track of `samples` from `startMs`, with each piece at its time; `rate` in Hz. Audio outside is omitted. */
export function laidOut(said: readonly Said[], startMs: number, samples: number, rate: number): Int16Array {
  const track = new Int16Array(samples)
  for (const { atMs, pcm } of said) {
    const at = Math.round(((atMs - startMs) * rate) / 1000)
    const from = Math.max(0, -at)
    const length = Math.min(pcm.length, samples - at)
    if (length > from) track.set(pcm.subarray(from, length), at + from)
  }
  return track
}

/** Returns a WAV file of two channels. Throws a RangeError if their lengths differ. */
export function stereoWav(left: Int16Array, right: Int16Array, rate: number): Uint8Array {
  if (left.length !== right.length)
    throw new RangeError(`two channels have one length, got ${left.length} and ${right.length} samples`)
  const both = new Int16Array(left.length * 2)
  for (let at = 0; at < left.length; at++) {
    both[at * 2] = left[at] ?? 0
    both[at * 2 + 1] = right[at] ?? 0
  }
  const header = wavHeader(rate, 2, left.length)
  const file = new Uint8Array(header.length + both.byteLength)
  file.set(header)
  file.set(bytesOf(both), header.length)
  return file
}

type NamedFile = readonly [name: string, content: string | Uint8Array]

async function save(files: readonly NamedFile[], folder: string): Promise<string[]> {
  const written: string[] = []
  for (const [name, content] of files) {
    const path = join(folder, name)
    await writeFile(path, content)
    written.push(path)
  }
  return written
}

/** Time from the end of speech to the first translated frame (ms). */
export interface Latency {
  readonly p50: number
  readonly max: number
}

/** Summarizes latencies, in any order; undefined without any. */
export function latencyOf(latenciesMs: readonly number[]): Latency | undefined {
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  const p50 = sorted[sorted.length >> 1]
  return p50 === undefined ? undefined : { p50: Math.round(p50), max: Math.round(sorted.at(-1) ?? p50) }
}

function printLatency(latencyMs: Latency | undefined, terminal: Terminal): void {
  if (latencyMs)
    terminal.line(
      `end of speech → first translated frame: p50 ${(latencyMs.p50 / 1000).toFixed(2)} s, max ${(latencyMs.max / 1000).toFixed(2)} s`,
    )
}

/** Result of the demonstration, for scripts (`--json`). */
export interface DiscordDemoResult {
  readonly captions: ConversationLog['said']
  readonly latencyMs: Latency | undefined
  /** Number of caption messages in the chat, and of their edits during speech. */
  readonly messages: number
  readonly edits: number
  /** True if voice was end-to-end encrypted in both directions. */
  readonly encrypted: boolean
  /** Languages with scripted text, because no engine here recognizes them. */
  readonly scripted: readonly string[]
  readonly files: readonly string[]
  readonly ok: boolean
}

/** Output of the demonstration: speech in the channel (left), speech of the bot (right), and the chat. */
export interface DiscordRecord {
  readonly said: readonly Said[]
  /** Start of `heard` (ms, on the clock of `said`). */
  readonly startedAt: number
  /** 16 kHz mono. */
  readonly heard: Int16Array
  readonly chat: readonly string[]
}

/** Writes the files into `folder`, which must exist; returns their paths. */
export async function writeRecord(
  { said, startedAt, heard, chat }: DiscordRecord,
  minutes: ConversationLog,
  folder: string,
): Promise<string[]> {
  const own = laidOut(said, startedAt, heard.length, SAMPLE_RATE)
  const files: NamedFile[] = [
    ['channel.wav', stereoWav(own, heard, SAMPLE_RATE)],
    ['chat.txt', `${chat.join('\n\n')}\n`],
    ['transcript.txt', minutes.text],
  ]
  return await save(files, folder)
}

/** Prints the result for people. */
export function reportDiscord(result: DiscordDemoResult, terminal: Terminal): void {
  const { captions, latencyMs, messages, edits, files, ok } = result
  terminal.line()
  terminal.line(
    `${captions.length} utterances translated and heard; ${messages} captions, edited ${edits} times while people spoke`,
  )
  printLatency(latencyMs, terminal)
  terminal.line(
    'Written (in the WAV file, left: the members’ speech, right: the bot’s audio in the channel):',
  )
  for (const file of files) terminal.line(`  ${file}`)
  if (!ok)
    terminal.line(
      'FAILED: not everything was translated, heard and written; `dragoman doctor` reports the cause.',
    )
}

/** An utterance, with its time (ms from the start of the conversation). */
export interface Minute {
  readonly atMs: number
  readonly name: string
  /** ID of the participant. */
  readonly speaker: string
  readonly from: LanguageId
  readonly to: LanguageId
  readonly text: string
  readonly translation: string
  /** True if the text is scripted, because no engine here recognizes the language. */
  readonly scripted: boolean
  /** Time from the end of speech to the first translated frame; undefined if none was played. */
  latencyMs: number | undefined
}

/** Logs a conversation: each utterance with its speaker, time and latency. */
export class ConversationLog implements Disposable {
  readonly said: Minute[] = []
  /** Lag of translations over time, by the listener's language. */
  readonly lag = new Map<string, LagPoint[]>()
  heard = 0
  readonly #utterances = new Map<string, Minute>()
  readonly #app: App
  readonly #scripted: readonly LanguageId[]
  #subscriptions: readonly Disposable[] = []

  /** `scripted`: languages with scripted text. */
  constructor(app: App, scripted: readonly LanguageId[]) {
    this.#app = app
    this.#scripted = scripted
  }

  /** Logs utterances from now on, which is their time 0. Call it once. */
  start(): void {
    const { relay } = this.#app
    const beganAt = performance.now()
    const now = () => Math.round(performance.now() - beganAt)
    this.#subscriptions = [
      relay.observer.on('caption', caption => {
        if (!caption.final || this.#utterances.has(caption.utterance)) return
        const { speaker, name = '', from, to, text = '', translation = '' } = caption
        const about = { atMs: now(), name, speaker, from, to, text, translation }
        const minute: Minute = { ...about, scripted: this.#scripted.includes(from), latencyMs: undefined }
        this.#utterances.set(caption.utterance, minute)
        this.said.push(minute)
      }),
      relay.observer.on('utterance', ({ stage, utterance, latencyMs }) => {
        if (stage === 'heard') this.heard++
        const minute = this.#utterances.get(utterance)
        if (!minute) return
        if (stage === 'begun' && latencyMs !== undefined) minute.latencyMs = Math.round(latencyMs)
        this.#plot(minute, now())
      }),
      // Received every second during playback.
      relay.observer.on('lag', ({ speaker, lagMs }) => {
        const minute = this.said.findLast(each => each.speaker === speaker)
        if (minute) this.#plot(minute, now(), lagMs)
      }),
    ]
  }

  /** The lag is the latency at the start of playback plus the delay added since. */
  #plot({ to, latencyMs }: Minute, atMs: number, behindMs = 0): void {
    if (latencyMs === undefined) return
    this.lag.set(to, [...(this.lag.get(to) ?? []), { atMs, lagMs: latencyMs + Math.round(behindMs) }])
  }

  get latenciesMs(): number[] {
    return this.said.flatMap(({ latencyMs }) => latencyMs ?? [])
  }

  /** Transcript for people. */
  get text(): string {
    const lines = this.said.map(({ atMs, name, from, to, text, translation, scripted, latencyMs }) =>
      [
        `${clock(atMs)}  ${name} (${from}${scripted ? ', scripted words' : ''})`,
        `       ${text}`,
        `       ${to}: ${translation}${latencyMs === undefined ? '' : `  [heard ${(latencyMs / 1000).toFixed(2)} s later]`}`,
      ].join('\n'),
    )
    return `${lines.join('\n\n')}\n`
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
  }
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export interface PhoneResults {
  readonly caller: SimulatedCall
  readonly callee: SimulatedCall
}

/** Result of the demonstration, for scripts (`--json`). */
export interface TwoPhonesResult {
  readonly captions: ConversationLog['said']
  readonly latencyMs: Latency | undefined
  /** Languages with scripted text, because no engine here recognizes them. */
  readonly scripted: readonly string[]
  readonly gaps: number
  readonly warnings: readonly string[]
  readonly files: readonly string[]
  readonly ok: boolean
}

/** Writes both sides, the transcript and the plot into `folder`, which must exist; returns their paths. */
export async function write(
  phones: PhoneResults,
  said: Readonly<Record<ScriptLine['by'], readonly Said[]>>,
  minutes: ConversationLog,
  folder: string,
): Promise<string[]> {
  const files: NamedFile[] = [
    ['transcript.txt', minutes.text],
    ['transcript.json', `${JSON.stringify(minutes.said, undefined, 2)}\n`],
    ['lag.svg', lagPlot(seriesOf(minutes))],
  ]
  for (const side of ['caller', 'callee'] as const) {
    const heard = phones[side].heard()
    const own = laidOut(said[side], phones[side].startedAt, heard.length, LINE_RATE)
    files.push([`${side}.wav`, stereoWav(own, heard, LINE_RATE)])
  }
  return await save(files, folder)
}

function seriesOf({ lag }: ConversationLog): { name: string; points: readonly LagPoint[] }[] {
  return Array.from(lag, ([language, points]) => ({ name: `heard in ${language}`, points }))
}

/** Returns the result for scripts; `lines` is the number of lines spoken. */
export function resultOf(
  { caller, callee }: PhoneResults,
  minutes: ConversationLog,
  files: readonly string[],
  lines: number,
): TwoPhonesResult {
  const reports = [caller.report(), callee.report()]
  const warnings = reports.flatMap(({ warnings, errors }) =>
    [...warnings, ...errors].map(({ code }) => String(code)),
  )
  const both = new Set(minutes.said.map(({ from }) => from)).size === 2
  return {
    captions: minutes.said,
    latencyMs: latencyOf(minutes.latenciesMs),
    scripted: [CALLEE.language],
    gaps: reports.reduce((sum, { gapCount }) => sum + gapCount, 0),
    warnings,
    files,
    ok: both && minutes.heard >= lines && warnings.length === 0,
  }
}

/** Prints the result for people. */
export function report(
  { captions, latencyMs, gaps, warnings, files, ok }: TwoPhonesResult,
  terminal: Terminal,
): void {
  terminal.line()
  terminal.line(`${captions.length} utterances translated and heard, ${gaps} gaps`)
  printLatency(latencyMs, terminal)
  if (warnings.length > 0) terminal.line(`protocol warnings ${warnings.join(' ')}`)
  terminal.line('Written (in the WAV files, left: spoken, right: heard):')
  for (const file of files) terminal.line(`  ${file}`)
  if (!ok)
    terminal.line('FAILED: not everything was translated and heard; `dragoman doctor` reports the cause.')
}
