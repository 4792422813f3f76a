import { asAsked, type BrowserBridgeOptions, type Offer } from '../bridges/browser/index.ts'
import type { Clock } from '../core/clock.ts'
import type { Admission } from '../core/invitation.ts'
import type { Log } from '../core/log.ts'
import type { Relay } from '../core/relay.ts'
import type { RoomCodes } from '../core/room-codes.ts'
import type { RoomLinks } from '../core/room-links.ts'
import type { LanguageDefaults, NumberSettings } from '../invitations.ts'
import { ServiceClient } from '../service/client/service-client.ts'
import { GuessLimit } from './guess-limit.ts'
import type { Doorman } from './open-lines.ts'

export interface BrowserTerms {
  readonly relay: Relay
  readonly admission: Admission
  readonly languages: LanguageDefaults
  readonly publicUrl: string | undefined
  readonly numbers: Readonly<Record<string, NumberSettings>>
  readonly roomCodes: RoomCodes
  readonly links: RoomLinks
  readonly doorman: Doorman
  readonly words: () => string
  /** Where the service is just now, and its key. */
  readonly service: { readonly url: () => string; readonly apiKey: string }
  readonly clock: Clock
  readonly log: Log
}

/** The browser bridge's options for these settings. */
export function browserOptions(
  settings: BrowserBridgeOptions['settings'],
  { numbers, doorman, service, ...parts }: BrowserTerms,
): BrowserBridgeOptions {
  const { clock } = parts
  return {
    ...parts,
    settings: settings ?? {},
    offer: () => serviceOffer(service),
    numbers: Object.keys(numbers).filter(number => numbers[number]?.roomCode),
    // Their own: whoever guesses from a browser must not shut the telephones out.
    guesses: new GuessLimit(clock, { anonymous: () => false }),
    invite: guest => (doorman.turns() === undefined ? asAsked(guest) : { refused: 'busy' }),
  }
}

/** The languages and voices that the service has, as it is asked. */
async function serviceOffer({ url, apiKey }: BrowserTerms['service']): Promise<Offer> {
  const client = new ServiceClient({ url: url(), apiKey })
  const [languages, voices] = await Promise.all([client.languages(), client.voices()])
  return {
    languages: languages.map(({ languageId, name, transcription, translation, synthesis }) => ({
      ...{ id: languageId, name, heard: transcription, spoken: synthesis, into: translation },
    })),
    voices: voices.map(({ voiceId, name, languageId, voiceGender }) => ({
      ...{ id: voiceId, name, language: languageId, gender: voiceGender },
    })),
  }
}
