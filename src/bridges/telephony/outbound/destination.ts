import { type NumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max'

const E164 = /^\+[1-9]\d{6,14}$/
/** Number types that cost the caller more than a call (libphonenumber’s types). */
const COSTLY: readonly NumberType[] = ['PREMIUM_RATE', 'SHARED_COST', 'PAGER', 'UAN']
/** Satellite and other worldwide networks (ITU-T E.164, assigned country codes). */
const WORLDWIDE: readonly string[] = ['870', '878', '881', '882', '883', '888', '979']

/** Reasons for not calling a destination; safe for logs, since they do not contain the number. */
export type DestinationFault =
  | 'no destination is allowed'
  | 'not a number such as +15551234567'
  | 'not under an allowed prefix'
  | 'too short or too long for its country: emergency and short numbers are not allowed'
  | 'a satellite or worldwide network number'
  | 'a premium-rate or shared-cost number'
  | 'a number of this server'

export interface DestinationRules {
  /** E.164 prefixes such as `+34` or `+1212`; all other numbers are rejected. */
  readonly allow: readonly string[]
  /** Numbers that route to this server: a call to one would call itself. */
  readonly own: readonly string[]
}

/** Returns the reason why `to` must not be called, or undefined. */
export function destinationFault(to: string, { allow, own }: DestinationRules): DestinationFault | undefined {
  if (allow.length === 0) return 'no destination is allowed'
  if (!E164.test(to)) return 'not a number such as +15551234567'
  if (!allow.some(prefix => to.startsWith(prefix))) return 'not under an allowed prefix'
  if (own.includes(to)) return 'a number of this server'
  const number = parsePhoneNumberFromString(to)
  if (number && WORLDWIDE.includes(number.countryCallingCode))
    return 'a satellite or worldwide network number'
  if (!number?.isPossible())
    return 'too short or too long for its country: emergency and short numbers are not allowed'
  const type = number.getType()
  if (type && COSTLY.includes(type)) return 'a premium-rate or shared-cost number'
  return undefined
}
