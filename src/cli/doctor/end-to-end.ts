import type { Config } from '../../app/settings/load.ts'
import { type LanguageId, sameLanguage } from '../../common/language.ts'
import { reachableUrl } from '../../net/client-address.ts'
import { localToken } from '../local-token.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { isDragoman } from './requests.ts'
import { checkRoute, leadsHere, reachedCheck, signatureCheck, withoutSlash } from './route-checks.ts'
import { placeTestCall, type TestCallOutcome } from './test-call.ts'

/** Latency above which a conversation is difficult (ms). */
const LATE_MS = 4_000
/** Shorter audio counts as nothing (ms). */
const LEAST_HEARD_MS = 300

/** Languages of the test call. */
export interface Languages {
  readonly from: LanguageId
  readonly to: LanguageId
}

/** English, the language of the bundled recordings, unless another recording is given. */
function callLanguages({ languages }: Config, audio: string | undefined): Languages {
  const english: LanguageId = languages.speaks.startsWith('en-') ? languages.speaks : 'en-us'
  const from = audio === undefined ? english : languages.speaks
  const to = [languages.hears, languages.speaks].find(each => !sameLanguage(each, from))
  return { from, to: to ?? 'es-es' }
}

/** Evaluates a test call. `others`: previous findings, which often explain a failure. */
function callChecks(outcome: TestCallOutcome, languages: Languages, others: readonly Check[]): Check[] {
  const stream = streamCheck(outcome)
  if (stream.status === 'fail') return [stream]
  return [stream, translationCheck(outcome, languages, others)]
}

/** Checks whether the media stream opened and stayed open. */
function streamCheck({ end, streamed, upgradeStatus, problems }: TestCallOutcome): Check {
  const name = 'media stream'
  // Rejected at once, or after the notice that all lines are in use.
  if (end.kind === 'rejected' || (end.kind === 'completed' && !streamed && problems.length === 0))
    return fail(
      name,
      `the server rejected the call (${end.reason})`,
      'it is draining, at its limits, or overloaded: see GET /ready and its log',
    )
  const codes = problems.map(({ code, text }) => `${code}: ${text}`)
  if (upgradeStatus === 403)
    return fail(
      name,
      'the WebSocket was rejected with 403',
      'configure the proxy to forward X-Twilio-Signature and the path of upgrades unchanged, and allow them in firewalls',
    )
  if (upgradeStatus !== undefined)
    return fail(
      name,
      `the WebSocket was not opened (${upgradeStatus === 0 ? (codes[0] ?? 'no answer') : `answered with ${upgradeStatus}`})`,
      'configure the proxy to forward upgrades: nginx needs proxy_http_version 1.1 with Upgrade and Connection headers (deploy/nginx); Caddy forwards them automatically (deploy/caddy)',
    )
  if (!streamed) return fail(name, codes[0] ?? `no media stream (${end.reason})`, 'see the log of the server')
  const broken = problems.filter(({ code }) => code === 31903 || code === 31921)
  if (broken.length > 0)
    return fail(
      name,
      `it was closed during the call (${broken[0]?.text})`,
      'raise the proxy’s timeouts for open connections (proxy_read_timeout), and check its log',
    )
  const [problem] = problems
  if (problem) return warn(name, `${problem.code}: ${problem.text}`, 'see the log of the server')
  return ok(name, 'opened and stayed open')
}

/** Checks whether the translation was played, and when. */
function translationCheck(
  { translations, audibleMs, levelDb, latenciesMs, overlapping }: TestCallOutcome,
  { from, to }: Languages,
  others: readonly Check[],
): Check {
  const name = 'translated call'
  if (translations > 0 && audibleMs >= LEAST_HEARD_MS) {
    const late = median(latenciesMs)
    const when =
      overlapping > 0
        ? ', from before the words ended'
        : late === undefined
          ? ''
          : `, ${(late / 1000).toFixed(1)} s after the words`
    const found = `${from} → ${to}: heard ${(audibleMs / 1000).toFixed(1)} s at ${levelDb.toFixed(0)} dBFS${when}`
    if (late !== undefined && late > LATE_MS)
      return warn(name, found, 'a nearer or faster service responds sooner')
    return ok(name, found)
  }
  const why = others.find(
    check =>
      check.status === 'fail' && (check.name === `${from} → ${to}` || /^(service|session)/.test(check.name)),
  )
  if (why) return fail(name, `no translation was played: ${why.name}: ${why.found}`, why.fix)
  if (audibleMs >= LEAST_HEARD_MS)
    return fail(
      name,
      `no translation was played, only ${(audibleMs / 1000).toFixed(1)} s of the original voice or a notice`,
      'the service is unavailable to the running server: see its log; restart it if its settings have changed',
    )
  return fail(
    name,
    `no audio was received, although ${from} was spoken and ${to} requested`,
    `the service recognized nothing, or has no voice for ${to}: see its log; play other speech with --audio <file>`,
  )
}

function median(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}

/** Options of the test call. */
export interface EndToEndOptions {
  /** True to place the call (default). */
  readonly call?: boolean | undefined
  /** Recording in the language of callers. Default: a bundled English sentence. */
  readonly audio?: string | undefined
  /** Connects here instead of resolving the host of `publicUrl`. */
  readonly connectTo?: string | undefined
  /** Maximum time until the translation starts (ms). */
  readonly patienceMs?: number | undefined
}

const PATIENCE_MS = 15_000
/** Twilio’s test numbers, which no account owns, so that no number settings apply. */
const NUMBERS = ['+15005550001', '+15005550007', '+15005550008'] as const

/**
 * Checks the route from Twilio to the server and back with a test call. Requests are signed like Twilio’s, and no one
 * is dialed: the call has its own room and calls a number without settings. `others`: previous findings.
 */
export async function endToEnd(
  config: Config,
  options: EndToEndOptions,
  others: readonly Check[],
): Promise<Check[]> {
  const running = config.port !== 0 && (await isDragoman(reachableUrl(config.host, config.port)))
  if (config.publicUrl === undefined || config.twilio.insecure) {
    if (!running) return notPlaced(options)
    return await placed(config, options, { address: reachableUrl(config.host, config.port), others })
  }
  const way = await checkRoute(config, { running, connectTo: options.connectTo })
  const reached = reachedCheck(way, config)
  if (!leadsHere(way)) return [reached, ...(reached.status === 'warn' ? notPlaced(options) : [])]
  const signature = signatureCheck(way, config)
  const checks = [reached, ...(signature ? [signature] : [])]
  if (signature?.status !== 'ok') return checks
  const address = withoutSlash(config.publicUrl)
  return [...checks, ...(await placed(config, options, { address, others }))]
}

/** Places the call, if requested, and reports its result. */
async function placed(
  config: Config,
  { call = true, audio, connectTo, patienceMs = PATIENCE_MS }: EndToEndOptions,
  { address, others }: { readonly address: string; readonly others: readonly Check[] },
): Promise<Check[]> {
  if (!call) return []
  const name = 'translated call'
  const number = NUMBERS.find(each => !Object.hasOwn(config.twilio.numbers, each))
  if (number === undefined) return [warn(name, 'not placed: all test numbers have settings', 'free one')]
  const token = config.twilio.authToken[0] ?? (await localToken(address))?.token
  const languages: Languages = callLanguages(config, audio)
  try {
    const outcome = await placeTestCall({
      ...{ address, connectTo, number, audio, patienceMs, ...languages },
      authToken: config.twilio.insecure ? undefined : token,
    })
    return callChecks(outcome, languages, others)
  } catch (error) {
    return [fail(name, `not placed: ${error instanceof Error ? error.message : error}`, 'fix --audio')]
  }
}

/** Reported only if the call was requested. */
function notPlaced({ call = true }: EndToEndOptions): Check[] {
  if (!call) return []
  const found = 'not placed: no server runs with these settings'
  return [warn('translated call', found, 'start it (dragoman serve) and run this again')]
}
