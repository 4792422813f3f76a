import { type CountryCode, type NumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max'

const E164 = /^\+[1-9]\d{6,14}$/
/** Types that cost the caller more than a call, or that no person answers (libphonenumber’s types). */
const COSTLY: readonly NumberType[] = [
  'PREMIUM_RATE',
  'SHARED_COST',
  'PERSONAL_NUMBER',
  'PAGER',
  'UAN',
  'VOICEMAIL',
]
/** The same in North America, without a type: area codes 600 and 700, and exchange 976 (NANPA). */
const COSTLY_NANP = /^\+1(?:[67]00|\d{3}976)/
/** Numbers without a subscriber (Twilio: test credentials), of the type of personal numbers. */
const TEST_NUMBER = /^\+150055500\d\d$/
/** Satellite and other worldwide networks (ITU-T E.164, assigned country codes). */
const WORLDWIDE: readonly string[] = ['870', '878', '881', '882', '883', '888', '979']

/** A calling code of several countries with different prices. */
interface SharedCode {
  /** Countries that a shorter prefix means. */
  readonly countries: readonly CountryCode[]
  /** Length of a prefix that names any other country by its area code. */
  readonly explicit: number
}

/**
 * `+1` is also the Caribbean, `+44` the Channel Islands and the Isle of Man, `+7` Kazakhstan: often used for fraud, and up to
 * twenty times as expensive.
 */
const SHARED_CODES: Readonly<Record<string, SharedCode>> = {
  1: { countries: ['US', 'CA'], explicit: '+1876'.length },
  44: { countries: ['GB'], explicit: '+441481'.length },
  7: { countries: ['RU'], explicit: '+77'.length },
}

/** Reasons for not calling a destination; safe for logs, since they do not contain the number. */
export type DestinationFault =
  | 'no destination is allowed'
  | 'not a number such as +15551234567'
  | 'not under an allowed prefix'
  | 'in another country with the same calling code: allow its area code, such as +1876'
  | 'too short or too long for its country: emergency and short numbers are not allowed'
  | 'a satellite or worldwide network number'
  | 'a premium-rate, shared-cost or personal number'
  | 'a number of this server'

export interface DestinationRules {
  /**
   * E.164 prefixes such as `+34` or `+1212`; all other numbers are rejected. `+1` means the United States and Canada, `+44` the
   * United Kingdom, `+7` Russia: other countries with these codes need their area code.
   */
  readonly allowedPrefixes: readonly string[]
  /** Numbers that route to this server: a call to one would call itself. */
  readonly own: readonly string[]
}

/** Returns the reason why `to` must not be called, or undefined. */
export function destinationFault(
  to: string,
  { allowedPrefixes, own }: DestinationRules,
): DestinationFault | undefined {
  if (allowedPrefixes.length === 0) return 'no destination is allowed'
  if (!E164.test(to)) return 'not a number such as +15551234567'
  const prefixes = allowedPrefixes.filter(prefix => to.startsWith(prefix))
  if (prefixes.length === 0) return 'not under an allowed prefix'
  if (own.includes(to)) return 'a number of this server'
  if (TEST_NUMBER.test(to)) return undefined
  const number = parsePhoneNumberFromString(to)
  if (number && WORLDWIDE.includes(number.countryCallingCode))
    return 'a satellite or worldwide network number'
  if (!number?.isPossible())
    return 'too short or too long for its country: emergency and short numbers are not allowed'
  const type = number.getType()
  if ((type && COSTLY.includes(type)) || COSTLY_NANP.test(to))
    return 'a premium-rate, shared-cost or personal number'
  const { country, countryCallingCode } = number
  const shared = SHARED_CODES[countryCallingCode]
  if (!shared || !country || shared.countries.includes(country)) return undefined
  return prefixes.some(prefix => prefix.length >= shared.explicit)
    ? undefined
    : 'in another country with the same calling code: allow its area code, such as +1876'
}
