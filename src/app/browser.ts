import { asAsked, type BrowserBridgeOptions } from '../bridges/browser/index.ts'
import type { LanguageDefaults, NumberSettings } from '../bridges/telephony/invitations.ts'
import type { Doorman } from '../bridges/telephony/open-lines.ts'
import type { Clock } from '../common/clock.ts'
import type { Log } from '../common/log.ts'
import { AddressGuessLimit } from '../core/calls/address-guess-limit.ts'
import type { RoomCodes } from '../core/calls/room-codes.ts'
import type { RoomLinks } from '../core/calls/room-links.ts'
import type { Admission } from '../core/model/invitation.ts'
import type { Relay } from '../core/room/relay.ts'
import { talkOffer } from './talk-offer.ts'

export interface BrowserTerms {
  readonly relay: Relay
  readonly admission: Admission
  readonly languages: LanguageDefaults
  readonly publicUrl: string | undefined
  readonly numbers: Readonly<Record<string, NumberSettings>>
  readonly roomCodes: RoomCodes
  /** A Discord bot also accepts room codes. */
  readonly discord: boolean
  readonly links: RoomLinks
  readonly doorman: Doorman
  readonly captions: BrowserBridgeOptions['captions'] & {}
  readonly dashboard: string
  readonly words: () => string
  /** Current address and key of the service. */
  readonly service: { readonly url: () => string; readonly apiKey: string }
  readonly groupOf: (address: string) => string | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Returns the browser bridge’s options for these settings. */
export function browserOptions(
  settings: BrowserBridgeOptions['settings'],
  { numbers, doorman, service, ...parts }: BrowserTerms,
): BrowserBridgeOptions {
  const { clock } = parts
  return {
    ...parts,
    path: '/',
    settings: settings ?? {},
    offer: talkOffer(service),
    numbers: Object.keys(numbers).filter(number => numbers[number]?.roomCode),
    // A separate limit: guesses from browsers must not lock out phone callers.
    guesses: new AddressGuessLimit(clock, parts.log),
    invite: guest => (doorman.turns() === undefined ? asAsked(guest) : { refused: 'busy' }),
  }
}
