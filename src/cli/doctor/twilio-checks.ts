import type { Config } from '../../config/load.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** Addresses that Twilio cannot reach: this machine and private networks. */
const PRIVATE =
  /^(localhost|.*\.(local|internal|lan|home|test)|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|169\.254\..*|\[(::1|f[cd].*|fe80.*)\])$/

/** Checks the requirements of real calls: a public address and the auth token. */
export function twilioChecks(config: Config): Check[] {
  return [addressCheck(config.publicUrl), tokenCheck(config), numbersCheck(config)]
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

/** Checks whether Twilio’s signatures can be verified. Never shows the token. */
function tokenCheck({ twilio, publicUrl }: Config): Check {
  const name = 'Twilio auth token'
  const mend =
    'set twilio.authToken (DRAGOMAN_TWILIO_AUTH_TOKEN or …_FILE) to the token on the start page of the Twilio console'
  if (twilio.insecure) return warn(name, 'insecure: signatures are not verified', mend)
  const count = twilio.authTokens.length
  if (count === 0)
    return publicUrl === undefined ? warn(name, 'none: simulated calls only', mend) : fail(name, 'none', mend)
  const odd = twilio.authTokens.filter(token => !/^[0-9a-f]{32}$/.test(token)).length
  if (odd > 0)
    return warn(name, `${odd} of ${count} does not look like one (32 digits and letters a–f)`, mend)
  return ok(name, count === 1 ? 'set' : `${count} set`)
}

function numbersCheck({ twilio, languages }: Config): Check {
  const numbers = Object.entries(twilio.numbers)
  const everybody = `${languages.speaks} → ${languages.hears}`
  if (numbers.length === 0) return ok('numbers', `all numbers: ${everybody}`)
  const shown = numbers.map(([number, settings]) => `${number} ${whatFor(settings, languages)}`)
  return ok('numbers', `${shown.join('; ')}; others ${everybody}`)
}

/** Describes what callers of a number get. */
function whatFor(
  { speaks, hears, room, dial, menu, roomCode }: Config['twilio']['numbers'][string],
  languages: Config['languages'],
): string {
  const own = speaks ?? languages.speaks
  // As on admission: with someone to talk to, callers hear their own language; alone, they hear the translation.
  const heard = hears ?? ((dial || roomCode) && own !== 'none' ? own : languages.hears)
  const asked = menu && menu.mode !== 'fixed'
  return [
    asked ? `asks for ${menu.languages.join(' or ')}` : own === heard ? own : `${own} → ${heard}`,
    ...(room === undefined ? [] : [`room ${room}`]),
    ...(roomCode ? ['room by code'] : []),
    ...(dial ? [`calls a number that speaks ${dial.speaks ?? languages.speaks}`] : []),
  ].join(', ')
}
