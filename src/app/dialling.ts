import type { NumberSettings } from '../bridges/telephony/invitations.ts'
import type { DayLedger } from '../bridges/telephony/outbound/day-ledger.ts'
import { destinationFault, type OutboundSettings, TwilioDialler } from '../bridges/twilio/index.ts'
import type { Clock } from '../common/clock.ts'
import { BridgeError } from '../common/errors.ts'
import type { Log } from '../common/log.ts'
import { RationedDialler } from '../core/calls/rationed-dialler.ts'
import type { Dialler } from '../core/model/dialer.ts'

/** Settings of outbound calls. Without its own token, the account’s token is used. */
export type DiallingSettings = Omit<OutboundSettings, 'own'> & {
  /** Maximum number of calls per minute. Default 60. */
  readonly perMinute?: number | undefined
  /** Maximum number of calls to one destination per hour, except calls of numbers with `dial`. Default 6. */
  readonly perHourEach?: number | undefined
}

export interface DiallingTerms {
  readonly authTokens: readonly string[]
  /** Our own numbers, which are never called. */
  readonly numbers: Readonly<Record<string, NumberSettings>>
  readonly clock: Clock
  readonly log: Log
  readonly ledger?: DayLedger | undefined
}

/**
 * Returns the dialer, or undefined if outbound calls are off. Throws `BridgeError` `CONFIG` for numbers that could not
 * be called.
 */
export function openDialler(
  settings: DiallingSettings | undefined,
  { authTokens, numbers, clock, log, ledger }: DiallingTerms,
): TwilioDialler | undefined {
  const own = Object.keys(numbers)
  for (const [number, { dial }] of Object.entries(numbers)) {
    if (!dial) continue
    const rules = { allow: settings?.allow ?? [], own: [...own, settings?.from ?? ''] }
    const fault = destinationFault(dial.to, rules)
    if (fault) throw new BridgeError('CONFIG', `twilio.numbers.${number}.dial.to: ${fault}`)
  }
  if (!settings) return undefined
  const authToken = settings.apiKeySid === undefined ? (settings.authToken ?? authTokens[0]) : undefined
  return new TwilioDialler({ ...settings, authToken, own }, { clock, log, ...(ledger && { ledger }) })
}

/** Returns the tokens that can sign webhooks: those of the account, and that of the dialing account. */
export function signingTokens(
  authTokens: readonly string[],
  settings: DiallingSettings | undefined,
): readonly string[] {
  const own = settings?.authToken
  return own === undefined || authTokens.includes(own) ? authTokens : [...authTokens, own]
}

/** Wraps `dialler` with the configured rate limits. */
export function rationed(
  dialler: Dialler,
  { perMinute = 60, perHourEach = 6 }: DiallingSettings,
  { numbers, clock }: Pick<DiallingTerms, 'numbers' | 'clock'>,
): RationedDialler {
  const known = Object.values(numbers).flatMap(({ dial }) => (dial ? [dial.to] : []))
  return new RationedDialler(dialler, { perMinute, perHourEach, known }, clock)
}
