import { type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js'
import { boundSettings, type VoiceSettings } from '../../bridges/twilio/numbers/voice-settings.ts'
import type { Config } from '../../config.ts'
import { BridgeError } from '../../core/errors.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** What Twilio says of the account; every call rejects with `BridgeError`. */
export interface ExaminedAccount {
  account(): Promise<{ readonly status: string; readonly type: string }>
  /** What a number of the account does when it is called; undefined for one that is not the account's. */
  number(phoneNumber: string): Promise<VoiceSettings | undefined>
  /** Whether the account may call ordinary numbers of a country (ISO 3166, two letters). */
  callable(country: string): Promise<boolean>
}

/** Countries that are asked about at most, where a prefix is shared by many (+1). */
const MOST_COUNTRIES = 3

/** Whether Twilio will do what the settings ask of it. Nothing is asked where `twilio.outbound` names no account. */
export async function accountChecks(
  config: Config,
  open: (config: Config) => Promise<ExaminedAccount | undefined>,
): Promise<Check[]> {
  const { outbound, numbers } = config.twilio
  try {
    const account = await open(config)
    if (!account) return []
    const name = 'Twilio account'
    const about = await account.account().catch((error: unknown) => error)
    if (about instanceof BridgeError)
      return [fail(name, about.message, 'check twilio.outbound: the account SID and its token or API key')]
    const own = new Set([...Object.keys(numbers), ...(outbound ? [outbound.from] : [])])
    return [
      accountCheck(about as Awaited<ReturnType<ExaminedAccount['account']>>),
      ...(await Promise.all([...own].filter(isPhone).map(each => numberCheck(each, account, config)))),
      ...(await Promise.all((outbound?.allow ?? []).map(prefix => countryCheck(prefix, account)))),
    ]
  } catch (error) {
    if (error instanceof BridgeError) return [fail('Twilio account', error.message, 'check twilio.outbound')]
    throw error
  }
}

function accountCheck({ status, type }: { status: string; type: string }): Check {
  const name = 'Twilio account'
  if (status !== 'active') return fail(name, status, 'see the console: Twilio places and takes no calls')
  if (type === 'Trial')
    return warn(
      name,
      'a trial account: it calls verified numbers only, and says so before each call',
      'verify the numbers you want to call, or upgrade the account in the console',
    )
  return ok(name, 'active')
}

/** Whether calls of one of our numbers come here. */
async function numberCheck(number: string, account: ExaminedAccount, config: Config): Promise<Check> {
  const name = `number ${number}`
  const bind = `dragoman twilio bind ${number}`
  try {
    const settings = await account.number(number)
    if (!settings)
      return fail(name, 'is not one of the account’s', 'check the number, and whose credentials are set')
    const { voiceUrl, trunkSid, voiceApplicationSid, voiceMethod } = settings
    if (trunkSid) return fail(name, 'is on a SIP trunk, which takes its calls', bind)
    if (voiceApplicationSid) return fail(name, 'belongs to a TwiML app, which takes its calls', bind)
    if (!(number in config.twilio.numbers) && voiceUrl === '')
      return ok(name, 'only calls, and is not called')
    if (config.publicUrl === undefined) return warn(name, `calls ${voiceUrl || 'nothing'}`, 'set publicUrl')
    const wanted = boundSettings(config.publicUrl.replace(/\/+$/, '')).voiceUrl
    const [found = ''] = voiceUrl.split('?')
    if (found === wanted && voiceMethod === 'POST') return ok(name, 'points here')
    if (found === wanted) return fail(name, `asks ${wanted} by ${voiceMethod}`, bind)
    if (found === wanted.replace(/^https:/, 'http:'))
      return fail(name, 'points here by http, which Twilio signs otherwise', bind)
    return fail(name, `calls ${voiceUrl || 'nothing'}, not ${wanted}`, bind)
  } catch (error) {
    return failed(name, error)
  }
}

/** Whether the account may call where `twilio.outbound.allow` lets it. */
async function countryCheck(prefix: string, account: ExaminedAccount): Promise<Check> {
  const name = `calls to ${prefix}…`
  const countries = countriesOf(prefix)
  if (countries.length === 0) return fail(name, 'there is no such country', 'mend twilio.outbound.allow')
  try {
    for (const country of countries.slice(0, MOST_COUNTRIES))
      if (await account.callable(country)) return ok(name, `permitted (${country})`)
    return fail(
      name,
      `not permitted (${countries.slice(0, MOST_COUNTRIES).join(', ')})`,
      'allow the country in the console: Voice, Settings, Geo permissions',
    )
  } catch (error) {
    return failed(name, error)
  }
}

/** Countries whose numbers may begin with `prefix`; the one that a calling code is named after first. */
export function countriesOf(prefix: string): CountryCode[] {
  const digits = prefix.slice(1)
  const all = getCountries().filter(country => {
    const code = getCountryCallingCode(country)
    return digits.startsWith(code) || code.startsWith(digits)
  })
  const main: readonly CountryCode[] = ['US', 'GB', 'RU', 'IT', 'NO', 'AU', 'FI', 'FR', 'MA']
  return all.toSorted((a, b) => Number(main.includes(b)) - Number(main.includes(a)))
}

function failed(name: string, error: unknown): Check {
  if (error instanceof BridgeError) return warn(name, error.message, 'Twilio did not say')
  throw error
}

function isPhone(number: string): boolean {
  return number.startsWith('+')
}
