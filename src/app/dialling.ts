import { destinationFault, type OutboundSettings, TwilioDialler } from '../bridges/twilio/index.ts'
import type { Clock } from '../core/clock.ts'
import type { DayLedger } from '../core/day-ledger.ts'
import type { Dialler } from '../core/dialler.ts'
import { BridgeError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { RationedDialler } from '../core/rationed-dialler.ts'
import type { NumberSettings } from '../invitations.ts'

/** Dialling out as it is configured: without a token of its own it has that of the account. */
export type DiallingSettings = Omit<OutboundSettings, 'own'> & {
  /** Calls placed in any minute; default 60. */
  readonly perMinute?: number | undefined
  /** Calls to one destination in any hour, but those that numbers are connected with; default 6. */
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

/** The dialler; nothing when dialling out is off. Throws `BridgeError` `CONFIG` for numbers that could not be called. */
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

/** The tokens that webhooks may be signed with: those of the account, and that of the account that dials. */
export function signingTokens(
  authTokens: readonly string[],
  settings: DiallingSettings | undefined,
): readonly string[] {
  const own = settings?.authToken
  return own === undefined || authTokens.includes(own) ? authTokens : [...authTokens, own]
}

/** `dialler`, no faster than the settings let it. */
export function rationed(
  dialler: Dialler,
  { perMinute = 60, perHourEach = 6 }: DiallingSettings,
  { numbers, clock }: Pick<DiallingTerms, 'numbers' | 'clock'>,
): RationedDialler {
  const known = Object.values(numbers).flatMap(({ dial }) => (dial ? [dial.to] : []))
  return new RationedDialler(dialler, { perMinute, perHourEach, known }, clock)
}
