import type { Config } from '../../config.ts'
import { callChecks, callLanguages, type Languages } from './call/call-checks.ts'
import { localAddress, walk, withoutSlash } from './call/way.ts'
import { leadsHere, reachedCheck, signatureCheck } from './call/way-checks.ts'
import { type Check, fail, warn } from './check.ts'
import type { Surroundings } from './surroundings.ts'

/** How the call that tries everything is placed. */
export interface EndToEndOptions {
  /** Whether it is placed at all; default true. */
  readonly call?: boolean | undefined
  /** A recording in the language that callers speak; default: a bundled one, in English. */
  readonly audio?: string | undefined
  /** Where the host of `publicUrl` is, for a name that does not lead there yet, or not from here. */
  readonly connectTo?: string | undefined
  /** How long the translation may take to begin (ms). */
  readonly patienceMs?: number | undefined
}

const PATIENCE_MS = 15_000
/** Twilio's numbers for tests, which nobody can own: no settings of a number hold for them. */
const NUMBERS = ['+15005550001', '+15005550007', '+15005550008'] as const

/**
 * The way from Twilio to the server and back, and a call on it. Everything is signed as Twilio signs, and nobody is dialled:
 * the call has a room of its own, and calls a number without settings. `others`: what was found before.
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

/** Places the call, if it is wanted, and says what came of it. */
async function placed(
  config: Config,
  around: Surroundings,
  { call = true, audio, connectTo, patienceMs = PATIENCE_MS }: EndToEndOptions,
  { address, others }: { readonly address: string; readonly others: readonly Check[] },
): Promise<Check[]> {
  if (!call) return []
  const name = 'translated call'
  const number = NUMBERS.find(each => !Object.hasOwn(config.twilio.numbers, each))
  if (number === undefined) return [warn(name, 'not placed: all numbers for tests have settings', 'free one')]
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

/** Said where it is wanted. */
function notPlaced({ call = true }: EndToEndOptions): Check[] {
  if (!call) return []
  const found = 'not placed: no server runs with these settings'
  return [warn('translated call', found, 'start it (dragoman serve), and ask again')]
}
