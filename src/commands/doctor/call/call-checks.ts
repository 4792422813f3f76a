import type { Config } from '../../../config.ts'
import { type LanguageId, sameLanguage } from '../../../core/languages.ts'
import { type Check, fail, ok, warn } from '../check.ts'
import type { TestCallOutcome } from './test-call.ts'

/** Later than this a conversation is laborious (ms). */
const LATE_MS = 4_000
/** Shorter than this nothing was said (ms). */
const LEAST_HEARD_MS = 300

/** Who says what in the call that tries all. */
export interface Languages {
  readonly from: LanguageId
  readonly to: LanguageId
}

/** English, which the bundled recordings are in, unless there is a recording of somebody else. */
export function callLanguages({ languages }: Config, audio: string | undefined): Languages {
  const english: LanguageId = languages.speaks.startsWith('en-') ? languages.speaks : 'en-us'
  const from = audio === undefined ? english : languages.speaks
  const to = [languages.hears, languages.speaks].find(each => !sameLanguage(each, from))
  return { from, to: to ?? 'es-es' }
}

/** What a call came to, and what to do about it. `others`: what was found before, which often says why. */
export function callChecks(
  outcome: TestCallOutcome,
  languages: Languages,
  others: readonly Check[],
): Check[] {
  const stream = streamCheck(outcome)
  if (stream.status === 'fail') return [stream]
  return [stream, translationCheck(outcome, languages, others)]
}

/** Whether the socket that carries the voice was opened, and stayed. */
function streamCheck({ end, streamed, upgradeStatus, problems }: TestCallOutcome): Check {
  const name = 'media stream'
  // Turned away at once, or after being told that all lines are in use.
  if (end.kind === 'rejected' || (end.kind === 'completed' && !streamed && problems.length === 0))
    return fail(
      name,
      `the server turned the call away (${end.reason})`,
      'it is draining, at its limits, or overloaded: GET /ready and its log say which',
    )
  const codes = problems.map(({ code, text }) => `${code}: ${text}`)
  if (upgradeStatus === 403)
    return fail(
      name,
      'the WebSocket was refused with 403',
      'have the proxy pass on X-Twilio-Signature and the path of upgrades as they come, and let them pass a firewall of its own',
    )
  if (upgradeStatus !== undefined)
    return fail(
      name,
      `the WebSocket was not opened (${upgradeStatus === 0 ? (codes[0] ?? 'no answer') : `answered with ${upgradeStatus}`})`,
      'have the proxy pass on upgrades: nginx wants proxy_http_version 1.1 with Upgrade and Connection headers (deploy/nginx); Caddy does so by itself (deploy/caddy)',
    )
  if (!streamed)
    return fail(name, codes[0] ?? `there was none (${end.reason})`, 'the log of the server says why')
  const broken = problems.filter(({ code }) => code === 31903 || code === 31921)
  if (broken.length > 0)
    return fail(
      name,
      `it was cut while the call lasted (${broken[0]?.text})`,
      'raise the time limits of the proxy for open connections (proxy_read_timeout), and look into its log',
    )
  const [problem] = problems
  if (problem) return warn(name, `${problem.code}: ${problem.text}`, 'the log of the server says more')
  return ok(name, 'opened, and stayed')
}

/** Whether the translation was heard, and when. */
function translationCheck(
  { translations, audibleMs, levelDb, latenciesMs }: TestCallOutcome,
  { from, to }: Languages,
  others: readonly Check[],
): Check {
  const name = 'translated call'
  if (translations > 0 && audibleMs >= LEAST_HEARD_MS) {
    const late = median(latenciesMs)
    const seconds = late === undefined ? '' : `, ${(late / 1000).toFixed(1)} s after the words`
    const found = `${from} → ${to}: heard ${(audibleMs / 1000).toFixed(1)} s at ${levelDb.toFixed(0)} dBFS${seconds}`
    if (late !== undefined && late > LATE_MS)
      return warn(name, found, 'a service that is near, or has more strength, answers sooner')
    return ok(name, found)
  }
  const why = others.find(
    check =>
      check.status === 'fail' && (check.name === `${from} → ${to}` || /^(service|session)/.test(check.name)),
  )
  if (why) return fail(name, `no translation was heard: ${why.name}: ${why.found}`, why.mend)
  if (audibleMs >= LEAST_HEARD_MS)
    return fail(
      name,
      `no translation was heard, only ${(audibleMs / 1000).toFixed(1)} s of the own voice or a notice`,
      'the service is away for the server that runs: its log says why; start it again if its settings have changed',
    )
  return fail(
    name,
    `nothing was heard, though ${from} was spoken and ${to} wanted`,
    `the service understood nothing, or has no voice for ${to}: its log says which; --audio <file> speaks something else`,
  )
}

function median(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
