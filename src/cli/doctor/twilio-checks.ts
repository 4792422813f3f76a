import { type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js'
import type { Twilio } from 'twilio'
import type { Config } from '../../app/settings/load.ts'
import { CARRIERS } from '../../bridges/phone/carriers.ts'
import { boundSettings, voiceSettingsOf } from '../../bridges/phone/rest/numbers.ts'
import { carrierError } from '../../bridges/phone/twilio/rest.ts'
import { restClient } from '../../bridges/phone/twilio/rest-client.ts'
import { BridgeError } from '../../common/errors.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** Maximum number of countries checked for a shared prefix (+1). */
const MOST_COUNTRIES = 3

/** Checks whether Twilio allows what the settings require. Skipped if `twilio.outbound` names no account. */
export async function accountChecks(config: Config): Promise<Check[]> {
  const name = 'Twilio account'
  const { outbound, numbers, authToken } = config.twilio
  if (!outbound) return []
  try {
    const client = await restClient({ ...outbound, authToken: authToken[0] })
    const account = await answered(client.api.v2010.accounts(outbound.accountSid).fetch())
    const own = new Set([...Object.keys(numbers), outbound.from])
    return [
      accountCheck(account),
      ...(await Promise.all([...own].filter(isPhone).map(each => numberCheck(each, client, config)))),
      ...(await Promise.all(outbound.allowedPrefixes.map(prefix => countryCheck(prefix, client)))),
    ]
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return [fail(name, error.message, 'check the account SID and the token or API key in twilio.outbound')]
  }
}

async function answered<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw carrierError(error)
  }
}

function accountCheck({ status, type }: { status: string; type: string }): Check {
  const name = 'Twilio account'
  if (status !== 'active')
    return fail(name, status, 'check the console: Twilio does not place or accept calls')
  if (type === 'Trial')
    return warn(
      name,
      'trial account: it only calls verified numbers, and plays an announcement before each call',
      'verify the numbers that you want to call, or upgrade the account in the console',
    )
  return ok(name, 'active')
}

/** Checks whether calls of one of our numbers reach this server. */
async function numberCheck(number: string, client: Twilio, config: Config): Promise<Check> {
  const name = `number ${number}`
  const bind = `dragoman twilio bind ${number}`
  try {
    const listed = await answered(client.incomingPhoneNumbers.list({ phoneNumber: number, limit: 2 }))
    const found = listed.find(each => each.phoneNumber === number)
    if (!found)
      return fail(name, 'does not belong to the account', 'check the number and the account credentials')
    const { voiceUrl, trunkSid, voiceApplicationSid, voiceMethod } = voiceSettingsOf(found)
    if (trunkSid) return fail(name, 'is on a SIP trunk, which receives its calls', bind)
    if (voiceApplicationSid) return fail(name, 'belongs to a TwiML app, which receives its calls', bind)
    if (!(number in config.twilio.numbers) && voiceUrl === '') return ok(name, 'only places calls')
    if (config.publicUrl === undefined) return warn(name, `calls ${voiceUrl || 'nothing'}`, 'set publicUrl')
    const wanted = boundSettings(config.publicUrl.replace(/\/+$/, ''), 'twilio').voiceUrl
    const [target = ''] = voiceUrl.split('?')
    if (target === wanted && voiceMethod === 'POST') return ok(name, 'routes to this server')
    if (target === wanted) return fail(name, `asks ${wanted} by ${voiceMethod}`, bind)
    if (target === wanted.replace(/^https:/, 'http:'))
      return fail(name, 'routes here over http, for which Twilio’s signature differs', bind)
    return fail(name, `calls ${voiceUrl || 'nothing'}, not ${wanted}`, bind)
  } catch (error) {
    return failed(name, error)
  }
}

/** Checks whether the account can call the countries of `twilio.outbound.allowedPrefixes`. */
async function countryCheck(prefix: string, client: Twilio): Promise<Check> {
  const name = `calls to ${prefix}…`
  const countries = countriesOf(prefix)
  if (countries.length === 0)
    return fail(name, 'no country has this prefix', 'fix twilio.outbound.allowedPrefixes')
  try {
    for (const country of countries.slice(0, MOST_COUNTRIES))
      if (
        (await answered(client.voice.v1.dialingPermissions.countries(country).fetch())).lowRiskNumbersEnabled
      )
        return ok(name, `permitted (${country})`)
    return fail(
      name,
      `not permitted (${countries.slice(0, MOST_COUNTRIES).join(', ')})`,
      'allow the country in the console: Voice, Settings, Geo permissions',
    )
  } catch (error) {
    return failed(name, error)
  }
}

/** Returns the countries whose numbers can start with `prefix`; the main country of the calling code first. */
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
  if (error instanceof BridgeError) return warn(name, error.message, 'Twilio did not report it')
  throw error
}

function isPhone(number: string): boolean {
  return number.startsWith('+')
}

/** Addresses that Twilio cannot reach: this machine and private networks. */
const PRIVATE =
  /^(localhost|.*\.(local|internal|lan|home|test)|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|169\.254\..*|\[(::1|f[cd].*|fe80.*)\])$/

/** Checks the requirements of real calls: a public address and the auth token. */
export function twilioChecks(config: Config): Check[] {
  return [addressCheck(config.publicUrl), ...credentialChecks(config)]
}

/** Checks the form of the public address. */
function addressCheck(publicUrl: string | undefined): Check {
  const name = 'public address'
  if (publicUrl === undefined)
    return warn(name, 'none: only this machine can call', 'set publicUrl to the https address of this server')
  const { hostname, pathname, protocol } = new URL(publicUrl)
  if (protocol !== 'https:') return warn(name, `${publicUrl} is not https`, 'Twilio requires https')
  if (PRIVATE.test(hostname))
    return fail(name, `${publicUrl} is not reachable from outside`, 'set publicUrl to a public host name')
  if (/\/twilio(\/|$)/.test(pathname))
    return fail(name, publicUrl, `remove the path: ${publicUrl.slice(0, publicUrl.indexOf('/twilio'))}`)
  return ok(name, `${publicUrl} (the number's webhook: ${publicUrl.replace(/\/+$/, '')}/twilio/voice)`)
}

/** Checks which carriers’ requests can be verified: Twilio’s, unless only others are configured. */
function credentialChecks(config: Config): Check[] {
  const others = CARRIERS.filter(({ name, isSigned }) => name !== 'twilio' && isSigned(config[name]))
  const checks = others.map(({ title, credential }) => ok(`${title} ${credential}`, 'set'))
  const unused = others.length > 0 && config.twilio.authToken.length === 0 && !config.twilio.insecure
  return unused ? checks : [tokenCheck(config), ...checks]
}

/** Checks whether Twilio’s signatures can be verified. Never shows the token. */
function tokenCheck({ twilio, publicUrl }: Config): Check {
  const name = 'Twilio auth token'
  const fix =
    'set twilio.authToken (DRAGOMAN_TWILIO_AUTH_TOKEN or …_FILE) to the token on the start page of the Twilio console'
  if (twilio.insecure) return warn(name, 'insecure: signatures are not verified', fix)
  const count = twilio.authToken.length
  if (count === 0)
    return publicUrl === undefined ? warn(name, 'none: simulated calls only', fix) : fail(name, 'none', fix)
  const odd = twilio.authToken.filter(token => !/^[0-9a-f]{32}$/.test(token)).length
  if (odd > 0) return warn(name, `${odd} of ${count} does not look like one (32 digits and letters a–f)`, fix)
  return ok(name, count === 1 ? 'set' : `${count} set`)
}
