import type { Config } from '../../config/load.ts'
import { callChecks, callLanguages, type Languages } from './call-checks.ts'
import { type Check, fail, warn } from './check.ts'
import type { Surroundings } from './environment.ts'
import { localAddress, walk, withoutSlash } from './way.ts'
import { leadsHere, reachedCheck, signatureCheck } from './way-checks.ts'

/** Options of the test call. */
export interface EndToEndOptions {
  /** Whether to place the call. Default true. */
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
  around: Surroundings,
  options: EndToEndOptions,
  others: readonly Check[],
): Promise<Check[]> {
  const running = config.port !== 0 && (await around.isDragoman(localAddress(config)))
  if (config.publicUrl === undefined || config.twilio.insecure) {
    if (!running) return notPlaced(options)
    return await placed(config, around, options, { address: localAddress(config), others })
  }
  const way = await walk(config, around, { running, connectTo: options.connectTo })
  const reached = reachedCheck(way, config)
  if (!leadsHere(way)) return [reached, ...(reached.status === 'warn' ? notPlaced(options) : [])]
  const signature = signatureCheck(way, config)
  const checks = [reached, ...(signature ? [signature] : [])]
  if (signature?.status !== 'ok') return checks
  const address = withoutSlash(config.publicUrl)
  return [...checks, ...(await placed(config, around, options, { address, others }))]
}

/** Places the call, if requested, and reports its result. */
async function placed(
  config: Config,
  around: Surroundings,
  { call = true, audio, connectTo, patienceMs = PATIENCE_MS }: EndToEndOptions,
  { address, others }: { readonly address: string; readonly others: readonly Check[] },
): Promise<Check[]> {
  if (!call) return []
  const name = 'translated call'
  const number = NUMBERS.find(each => !Object.hasOwn(config.twilio.numbers, each))
  if (number === undefined) return [warn(name, 'not placed: all test numbers have settings', 'free one')]
  const token = config.twilio.authTokens[0] ?? (await around.localToken(address))
  const languages: Languages = callLanguages(config, audio)
  try {
    const outcome = await around.testCall({
      ...{ address, connectTo, number, audio, patienceMs, ...languages },
      authToken: config.twilio.insecure ? undefined : token,
    })
    return callChecks(outcome, languages, others)
  } catch (error) {
    return [fail(name, `not placed: ${error instanceof Error ? error.message : error}`, 'mend --audio')]
  }
}

/** Reported only if the call was requested. */
function notPlaced({ call = true }: EndToEndOptions): Check[] {
  if (!call) return []
  const found = 'not placed: no server runs with these settings'
  return [warn('translated call', found, 'start it (dragoman serve) and run this again')]
}
