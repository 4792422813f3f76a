import type { Config } from '../../config.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** Addresses that Twilio cannot reach: this machine and private networks. */
const PRIVATE =
  /^(localhost|.*\.(local|internal|lan|home|test)|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|169\.254\..*|\[(::1|f[cd].*|fe80.*)\])$/

/** What a real call needs: an address that Twilio reaches, and the token it signs with. */
export function twilioChecks(config: Config): Check[] {
  return [addressCheck(config.publicUrl), tokenCheck(config), numbersCheck(config)]
}

/** The form of the public address. */
function addressCheck(publicUrl: string | undefined): Check {
  const name = 'public address'
  if (publicUrl === undefined)
    return warn(
      name,
      'none: only this machine can call',
      'set publicUrl to the https address that leads here',
    )
  const { hostname, pathname, protocol } = new URL(publicUrl)
  if (protocol !== 'https:') return warn(name, `${publicUrl} is not https`, 'Twilio needs https')
  if (PRIVATE.test(hostname))
    return fail(name, `${publicUrl} is not to be reached from outside`, 'set publicUrl to a public host name')
  if (/\/twilio(\/|$)/.test(pathname))
    return fail(name, publicUrl, `leave out the path: ${publicUrl.slice(0, publicUrl.indexOf('/twilio'))}`)
  return ok(name, `${publicUrl} (the number's webhook: ${publicUrl.replace(/\/+$/, '')}/twilio/voice)`)
}

/** Whether Twilio's signatures can be verified. The token itself is never shown. */
function tokenCheck({ twilio, publicUrl }: Config): Check {
  const name = 'Twilio auth token'
  const mend =
    'set twilio.authToken (DRAGOMAN_TWILIO_AUTH_TOKEN or …_FILE) to the one on the console’s front page'
  if (twilio.insecure) return warn(name, 'insecure: nobody’s signature is verified', mend)
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
  if (numbers.length === 0) return ok('numbers', `every number: ${everybody}`)
  const shown = numbers.map(([number, settings]) => `${number} ${whatFor(settings, languages)}`)
  return ok('numbers', `${shown.join('; ')}; others ${everybody}`)
}

/** What callers of a number are in for. */
function whatFor(
  { speaks, hears, room, dial, menu, roomCode }: Config['twilio']['numbers'][string],
  languages: Config['languages'],
): string {
  const own = speaks ?? languages.speaks
  // As callers are let in: with somebody to talk to everybody hears their own language, alone one hears the translation.
  const heard = hears ?? ((dial || roomCode) && own !== 'none' ? own : languages.hears)
  const asked = menu && menu.mode !== 'fixed'
  return [
    asked ? `asks for ${menu.languages.join(' or ')}` : own === heard ? own : `${own} → ${heard}`,
    ...(room === undefined ? [] : [`room ${room}`]),
    ...(roomCode ? ['room by code'] : []),
    ...(dial ? [`calls somebody who speaks ${dial.speaks ?? languages.speaks}`] : []),
  ].join(', ')
}
