import { systemClock } from '../../common/clock.ts'
import { baseUrl, socketPath } from '../../service/client/service-address.ts'
import { concat, SAMPLE_RATE } from '../../transcode/pcm.ts'
import { CommandError } from '../errors.ts'
import { bundledSentences, wideAudio } from '../sample-audio.ts'
import type { Terminal } from '../terminal.ts'
import { SECTION_3, SECTION_4 } from './connection-statements.ts'
import { SECTION_5, SECTION_6, SECTION_7 } from './event-statements.ts'
import type { Evidence, Probe, ServerReply } from './evidence.ts'
import { batchReplies, refusedReplies, reply, voiceReplies } from './http-evidence.ts'
import { SECTION_2 } from './http-statements.ts'
import { admitted, sessionEvidence } from './session-evidence.ts'
import { field, type Statement, type Status, type Verdict } from './statement.ts'

/** The statements of sections 2 to 7 of the interface document that can be observed from outside, in order. */
export const STATEMENTS: readonly Statement[] = [
  ...SECTION_2,
  ...SECTION_3,
  ...SECTION_4,
  ...SECTION_5,
  ...SECTION_6,
  ...SECTION_7,
]

/** A statement with its verdict. */
export interface Row extends Verdict {
  readonly id: string
  readonly text: string
}

/**
 * Observes a service from outside, then evaluates every statement. Rejects with a `CommandError` if the service refuses
 * the key, and never for any other behavior.
 */
export async function examine(probe: Probe): Promise<Row[]> {
  const evidence = await gathered(probe)
  return STATEMENTS.map(({ id, text, judge }) => ({ id, text, ...judge(evidence) }))
}

/** HTTP statuses of a service that does not accept the key; 429: not now, after too many wrong ones. */
const REFUSED = [401, 403, 429]

/** Wrong keys are tried last: a service can block an address after too many of them. */
async function gathered(probe: Probe): Promise<Evidence> {
  const { source, target, text, speech, apiKey } = probe
  const languages = await reply(probe, '/api/languages', apiKey)
  if (REFUSED.includes(languages.status) && !(await admitted(probe))) throw keyRefused(probe, languages)
  const voices = await voiceReplies(probe)
  const batch = await batchReplies(probe)
  const { sessions, stream } = await sessionEvidence(probe)
  const { keyless, wrongKey } = await refusedReplies(probe)
  return { source, target, text, speech, languages, voices, batch, keyless, wrongKey, sessions, stream }
}

/**
 * Neither HTTP nor a connection accepts the key: nothing can be shown, and every further request would count as an
 * attempt to guess one.
 */
function keyRefused({ apiKey }: Probe, { status, body }: ServerReply): CommandError {
  const codes = [field(body, 'code'), field(body, 'error')].filter(each => typeof each === 'string').join('/')
  const answer = `HTTP ${status}${codes === '' ? '' : ` ${codes}`}`
  if (status === 429)
    return new CommandError(
      `the service accepts no requests from this address for now (${answer}): try again later`,
    )
  return new CommandError(
    apiKey === ''
      ? `the service requires a key (${answer}): pass --key, or set service.apiKey`
      : `the key was refused (${answer}): check --key, or service.apiKey`,
  )
}

const SIGN: Readonly<Record<Status, string>> = { holds: '✓', 'does not hold': '✗', 'not shown': '·' }

/** Formats the rows for people, one line each, followed by the totals. */
export function renderRows(rows: readonly Row[]): string[] {
  const width = Math.max(0, ...rows.map(({ text }) => text.length))
  const lines = rows.map(
    ({ id, text, status, found }) =>
      `${SIGN[status]} ${id.padEnd(5)}  ${text.padEnd(width)}  ${status.padEnd(13)}  ${found}`,
  )
  const count = (wanted: Status) => rows.filter(({ status }) => status === wanted).length
  const sums = `${count('holds')} hold, ${count('does not hold')} do not hold, ${count('not shown')} not shown`
  return [...lines, '', sums]
}

/** Returns 0 if at least one statement holds and none fails. An unavailable service does not pass. */
export function rowsExitCode(rows: readonly Row[]): 0 | 1 {
  const seen = (wanted: Status) => rows.some(({ status }) => status === wanted)
  return seen('does not hold') || !seen('holds') ? 1 : 0
}

export interface ConformOptions {
  /** The service's address. */
  readonly url: string
  readonly key: string
  readonly from: string
  readonly to: string
  /** WAV file in the source language. Default: a bundled English sentence. */
  readonly audio?: string
  /** Text in the source and in the target language. */
  readonly text: string
  readonly speech: string
  /** Path of Socket.IO, if it is below a path of the address. */
  readonly socketPath?: string
  /** Maximum wait for one response (s). */
  readonly patience: number
  readonly json?: boolean
}

/** A short one. */
const SENTENCE = 1
/** Silence after the speech, so that a service detects its end (ms). */
const PAUSE_MS = 1_200
const QUIET_MS = 1_500

/** Checks any service of the interface from outside and reports which statements hold. Returns the exit code. */
export async function conform(options: ConformOptions, terminal: Terminal): Promise<number> {
  const { url, key, from, to, text, speech, patience } = options
  const base = baseUrl(url)
  if (!options.json) terminal.line(`Checking ${base}; this takes about a minute …`)
  const probe: Probe = {
    base,
    socketPath: socketPath(options.socketPath),
    apiKey: key,
    source: from,
    target: to,
    text,
    speech,
    pcm: await speechAudio(options.audio),
    pace: 1,
    patienceMs: patience * 1_000,
    quietMs: QUIET_MS,
    clock: systemClock,
  }
  const rows: Row[] = await examine(probe)
  if (options.json) process.stdout.write(`${JSON.stringify(rows, undefined, 2)}\n`)
  else for (const line of renderRows(rows)) terminal.line(line)
  return rowsExitCode(rows)
}

/** 16 kHz mono, followed by a pause. */
async function speechAudio(path: string | undefined): Promise<Int16Array> {
  const sentences = path === undefined ? await bundledSentences() : []
  const speech = await wideAudio(path ?? sentences[SENTENCE] ?? '')
  return concat([speech, noise((PAUSE_MS * SAMPLE_RATE) / 1_000)])
}

/** Background noise: recognizers treat digital silence as a dead line. */
function noise(samples: number): Int16Array {
  let seed = 1
  return Int16Array.from({ length: samples }, () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff
    return (seed >> 16) % 7
  })
}
