import { type NumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max'

const E164 = /^\+[1-9]\d{6,14}$/
/** Numbers that cost whoever calls them more than a call (libphonenumber's types). */
const COSTLY: readonly NumberType[] = ['PREMIUM_RATE', 'SHARED_COST', 'PAGER', 'UAN']
/** Satellite and other worldwide networks (ITU-T E.164, assigned country codes). */
const WORLDWIDE: readonly string[] = ['870', '878', '881', '882', '883', '888', '979']

/** Why a destination is not called; safe for logs, the number is not in it. */
export type DestinationFault =
  | 'no destination is allowed'
  | 'not a number like +15551234567'
  | 'not a number of the allowed prefixes'
  | 'too short or too long for its country: emergency and short numbers are not called'
  | 'a number of a satellite or worldwide network'
  | 'a premium-rate or shared-cost number'
  | 'a number of this server itself'

export interface DestinationRules {
  /** Prefixes in E.164, as `+34` or `+1212`; nothing else is called. */
  readonly allow: readonly string[]
  /** Numbers that lead back here: a call to one of them would call itself. */
  readonly own: readonly string[]
}

/** What is wrong with calling `to`; undefined when it may be called. */
export function destinationFault(to: string, { allow, own }: DestinationRules): DestinationFault | undefined {
  if (allow.length === 0) return 'no destination is allowed'
  if (!E164.test(to)) return 'not a number like +15551234567'
  if (!allow.some(prefix => to.startsWith(prefix))) return 'not a number of the allowed prefixes'
  if (own.includes(to)) return 'a number of this server itself'
  const number = parsePhoneNumberFromString(to)
  if (number && WORLDWIDE.includes(number.countryCallingCode))
    return 'a number of a satellite or worldwide network'
  if (!number?.isPossible())
    return 'too short or too long for its country: emergency and short numbers are not called'
  const type = number.getType()
  if (type && COSTLY.includes(type)) return 'a premium-rate or shared-cost number'
  return undefined
}
