import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { Notice } from '../../../simulator/index.ts'
import type { CallPhone, PhoneReport } from '../../../simulator/phone/line-phone.ts'
import { systemClock, Ticker } from '../../common/clock.ts'
import type { Logger } from '../../common/log.ts'
import { dbfs, rms } from '../../transcode/level.ts'
import { encodeWav } from '../../transcode/wav.ts'
import { CommandError } from '../errors.ts'
import { HeardTranslations } from '../heard-translations.ts'
import { localToken } from '../local-token.ts'
import { LINE_RATE, lineAudio } from '../sample-audio.ts'
import { assertWritable, meter, startedAs, type Terminal } from '../terminal.ts'
import { bridgeLanguageProblem, type CallCaption, CallCaptions } from './live-view.ts'
import { openPhone } from './phones.ts'

/** Longest wait for the end of a translation (ms). */
const MAX_LISTENING_MS = 60_000

/** Returns `text` as an http(s) address without a trailing slash. Throws a `CommandError` that names `option`. */
export function httpAddress(option: string, text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.hostname !== '') return text.replace(/\/+$/, '')
  const meant = /^\d{1,5}$/.test(text) ? `http://localhost:${text}` : `http://${text}`
  const hint = !text.includes('://') && URL.canParse(meant) ? ` (did you mean ${meant}?)` : ''
  throw new CommandError(
    `${option} is "${text}": expected an address that starts with http:// or https://, like http://localhost:8080${hint}`,
  )
}

/** The path of `server`, such as the prefix of a plugin, counts once, even if `publicUrl` repeats it. */
function withoutPathOf(server: string, publicUrl: string): string {
  const { pathname } = new URL(server)
  return pathname !== '/' && publicUrl.endsWith(pathname) ? publicUrl.slice(0, -pathname.length) : publicUrl
}

/** Explains in one sentence why a call failed and what to do. The codes are Twilio’s. */
export function callTrouble({ code, text }: Notice, server: string): string {
  switch (code) {
    case 11205:
      return `no bridge answers at ${server}: start one there (${startedAs()} serve), or set another address with --server`
    case 11210:
      return `the host of ${server} does not exist; check --server`
    case 11200:
      return refusal(text, server)
    case 12100:
    case 12300:
      return `the server at ${server} is not Dragoman (${text}); check --server`
    case 31920:
    case 31922:
      return `the bridge at ${server} rejected the call’s audio (${text}); see its log`
    default:
      return `the call to ${server} failed with ${code} (${text}); see the log of the bridge`
  }
}

/** The webhook was answered, but not with instructions. */
function refusal(text: string, server: string): string {
  if (/answered 403$/.test(text))
    return `the bridge at ${server} rejected the signature: set its auth token with --auth-token, and its public address with --public-url if it has one`
  const [, status] = /answered (404|405|501)$/.exec(text) ?? []
  if (status) return `the server at ${server} is not Dragoman (HTTP ${status}); check --server`
  return `the bridge at ${server} cannot accept the call (${text}); see its log`
}

export interface CallCommandOptions {
  /** WAV or MP3 file that the simulated phone plays. */
  readonly audio: string
  readonly from: string
  readonly to: string
  /** Address of the bridge. */
  readonly server: string
  /** Room to join. Absent: alone, hearing its own translation. */
  readonly room?: string | undefined
  /** Name of the carrier. Default: `twilio`. */
  readonly carrier?: string | undefined
  /** Number called. */
  readonly number?: string | undefined
  /** Signs the requests. A bridge on this machine without a configured token leaves one for this command. */
  readonly authToken?: string | undefined
  /** Sample rate of streams, for carriers that need it (Hz), and address of the AudioSocket server. */
  readonly sampleRate?: number | undefined
  readonly audioAddress?: string | undefined
  /** Connection of streams at Asterisk. Default: AudioSocket. */
  readonly stream?: 'audiosocket' | 'websocket' | undefined
  /** Public address of the bridge, if it differs from `server`. */
  readonly publicUrl?: string | undefined
  readonly output: string
  /** Silence after the last word that ends the call (ms). */
  readonly listenMs: number
  readonly json?: boolean | undefined
}

/**
 * Calls a running bridge with a simulated phone, plays a file and writes the received audio. Returns the exit code.
 * Rejects with a `CommandError` if the call fails.
 */
export async function call(options: CallCommandOptions, terminal: Terminal, log: Logger): Promise<number> {
  const { from, to, room, number, carrier = 'twilio' } = options
  const server = httpAddress('--server', options.server)
  const publicUrl = options.publicUrl && withoutPathOf(server, httpAddress('--public-url', options.publicUrl))
  await assertWritable(options.output)
  const speech = await lineAudio(options.audio)
  const problem = await bridgeLanguageProblem(server, from, to)
  if (problem) throw new CommandError(problem)
  const local = options.authToken === undefined ? await localToken(server) : undefined
  // A separate room behaves like no room, and its name gives access to its captions.
  const place =
    room ?? (local?.key !== undefined && number === undefined ? `call-${randomUUID()}` : undefined)
  const query = new URLSearchParams({ speaks: from, hears: to, ...(place ? { room: place } : {}) })
  const authToken = options.authToken ?? local?.token
  const signedFor = publicUrl ?? local?.address
  // AudioSocket has no marks.
  const marks = carrier !== 'asterisk' || options.stream === 'websocket'
  const answers = new HeardTranslations(speech, { marks })
  const phone = await openPhone({
    ...{ carrier, server, query: query.toString(), number, authToken, publicUrl: signedFor, log },
    ...{ sampleRate: options.sampleRate, audioAddress: options.audioAddress, stream: options.stream },
    onMark: (_now, name) => answers.marked(name),
    onMedia: (now, bytes) => answers.media(now, bytes),
  })
  const [trouble] = phone.report().errors
  if (trouble && !phone.live) {
    await phone.hangUp()
    throw new CommandError(callTrouble(trouble, server))
  }
  using captions = new CallCaptions(terminal)
  if (place !== undefined && local?.key !== undefined) void captions.follow(server, local.key, place)
  if (phone.live)
    terminal.line(`In call. Speaking ${(speech.length / LINE_RATE).toFixed(1)} s of ${from}, hearing ${to} …`)
  const begun = systemClock.now()
  answers.speaking(begun)
  using progress = new Ticker(systemClock, 100, now => {
    const at = Math.floor(((now - begun) / 1000) * LINE_RATE)
    const level = rms(speech.subarray(at, at + LINE_RATE / 10)) / 32_768
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
    terminal.status(
      { text: meter(level || 0), color: 'green' },
      `  ${seconds(now - begun)}   heard ${seconds(answers.heardMs)}`,
    )
  })
  await phone.say(speech)
  const translated = () => captions.all.some(({ translation }) => translation !== undefined)
  await listen(phone, options.listenMs, () => translated() && answers.translations === 0)
  progress[Symbol.dispose]()
  terminal.status('')
  const end = await phone.hangUp()
  const heard = phone.heard()
  await writeFile(options.output, encodeWav(heard, LINE_RATE))
  return tell(options, terminal, phone.report(), heard, end, answers, captions.all)
}

/**
 * Listens until `ms` of silence, and as long as `awaited` returns true: on a busy machine, a caption can arrive long
 * before its voice. Gives up after a minute.
 */
export async function listen(
  phone: Pick<CallPhone, 'live' | 'quietFor'>,
  ms: number,
  awaited: () => boolean,
): Promise<void> {
  const { promise: expired, resolve: expire } = Promise.withResolvers<void>()
  let over = false
  const timer = setTimeout(() => {
    over = true
    expire()
  }, MAX_LISTENING_MS)
  do await Promise.race([phone.quietFor(ms), expired])
  while (!over && phone.live && awaited())
  clearTimeout(timer)
}

function tell(
  options: CallCommandOptions,
  terminal: Terminal,
  report: PhoneReport,
  heard: Int16Array,
  end: { readonly kind: string },
  { translations, latenciesMs: all, heardMs }: HeardTranslations,
  captions: readonly CallCaption[],
): number {
  const latenciesMs = translations > 0 ? all : []
  const notices = [...report.errors, ...report.warnings]
  const problems = notices.map(({ code }) => String(code))
  const result = {
    heardMs: Math.round(heardMs),
    levelDbfs: heardMs > 0 ? Math.round(dbfs(rms(heard)) * 10) / 10 : null,
    gaps: report.gapCount,
    latenciesMs: latenciesMs.map(Math.round),
    marksConfirmed: report.marksPlayed,
    translations,
    problems,
    said: report.said,
    captions,
    output: options.output,
  }
  if (options.json) process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`)
  else {
    for (const text of report.said) terminal.line(`The bridge said: ${text}`)
    terminal.line(
      `Received ${(heardMs / 1000).toFixed(1)} s in ${report.messages} messages, ${report.gapCount} gaps, written to ${options.output}`,
    )
    for (const ms of latenciesMs)
      terminal.line(`  ${(ms / 1000).toFixed(2)} s from the end of speech to the first translated audio`)
    // Without a translation, the audio was the original or a notice.
    if (translations === 0)
      terminal.line(
        captions.some(({ translation }) => translation !== undefined)
          ? 'The translation arrived as a caption only: its voice was not played to the end. See the log of the bridge.'
          : 'No translation was received; see the log of the bridge.',
      )
    if (problems.length > 0) terminal.line(`Problems: ${problems.join(' ')} (${end.kind})`)
    for (const { code, text } of notices) terminal.line(`  ${code}: ${text}`)
  }
  return translations > 0 && problems.length === 0 ? 0 : 1
}
