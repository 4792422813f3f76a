import type { Wrong } from './combinations.ts'
import type { CheckedConfig } from './schema.ts'

type NumberConfig = CheckedConfig['twilio']['numbers'][string]
type Outbound = NonNullable<CheckedConfig['twilio']['outbound']>

/** Checks settings of calls that are valid alone but conflict. */
export function checkCalls({ twilio, calls, publicUrl }: CheckedConfig, wrong: Wrong): void {
  checkOutbound(twilio, wrong)
  if (twilio.outbound && twilio.outbound.apiUrl === undefined && publicUrl === undefined)
    wrong(['publicUrl'], 'the https:// address that Twilio calls, because twilio.outbound is set')
  for (const [number, settings] of Object.entries(twilio.numbers)) {
    const at = (...path: string[]) => ['twilio', 'numbers', number, ...path]
    checkRoom(settings, (path, allowed) => wrong(at(...path), allowed))
    checkMenu(settings, calls.remembered !== undefined, (path, allowed) => wrong(at(...path), allowed))
    if (settings.dial)
      checkDial(settings.dial.to, number, twilio, allowed => wrong(at('dial', 'to'), allowed))
  }
}

function checkOutbound({ outbound, authToken, authTokens }: CheckedConfig['twilio'], wrong: Wrong): void {
  if (!outbound) return
  const at = (key: string) => ['twilio', 'outbound', key]
  const { apiKeySid, apiKeySecret, region, edge, apiUrl } = outbound
  if (apiKeySid !== undefined && apiKeySecret === undefined)
    wrong(at('apiKeySecret'), 'the secret of the API key, because apiKeySid is set')
  if (apiKeySid === undefined && apiKeySecret !== undefined)
    wrong(at('apiKeySid'), 'the SID of the API key, because apiKeySecret is set')
  if (outbound.authToken !== undefined && apiKeySid !== undefined)
    wrong(at('authToken'), 'no value, because an API key is set')
  const token = outbound.authToken ?? authToken ?? authTokens?.[0]
  if (apiKeySid === undefined && apiKeySecret === undefined && token === undefined)
    wrong(at('authToken'), 'the auth token of the account, unless an API key is set')
  if ((region === undefined) !== (edge === undefined))
    wrong(at(region === undefined ? 'region' : 'edge'), 'both a region and an edge, or neither')
  if (apiUrl !== undefined && region !== undefined) wrong(at('apiUrl'), 'no value, because a region is set')
  checkPrices(outbound, allowed => wrong(at('prices'), allowed))
}

/** A number without a price cannot be kept below a cost limit, so calls to it would always be rejected. */
function checkPrices(
  { allow, prices = {}, maxSpendPerDay, maxSpendPerNumber, maxSpendPerKey }: Outbound,
  wrong: (allowed: string) => void,
): void {
  if (maxSpendPerDay === undefined && maxSpendPerNumber === undefined && maxSpendPerKey === undefined) return
  const known = Object.keys(prices)
  const without = allow.filter(prefix => !known.some(each => prefix.startsWith(each)))
  if (without.length > 0)
    wrong(`a price for each prefix of allow, because a cost limit is set; none matches ${without.join(', ')}`)
}

function checkRoom({ dial, room, roomCode }: NumberConfig, wrong: Wrong): void {
  if (dial && room !== undefined)
    wrong(['room'], 'no value, because each call of a number with dial has its own room')
  if (roomCode && room !== undefined) wrong(['room'], 'no value, because the code selects the room')
  if (roomCode && dial) wrong(['roomCode'], 'false, because callers are connected by dial')
}

function checkMenu({ menu, dial, room, roomCode }: NumberConfig, remembers: boolean, wrong: Wrong): void {
  if (!menu || menu.mode === 'fixed') return
  if (menu.mode === 'remembered' && !remembers)
    wrong(['menu', 'mode'], 'menu, unless calls.remembered names a file for the choices')
  if (!dial && room === undefined && !roomCode)
    wrong(['menu'], 'no value, unless callers have someone to talk to: with dial, room or roomCode')
}

function checkDial(
  to: string,
  number: string,
  { outbound }: CheckedConfig['twilio'],
  wrong: (allowed: string) => void,
): void {
  if (!outbound) wrong('no value, unless twilio.outbound configures outbound calls')
  else if (to === number || to === outbound.from)
    wrong('a number other than one that routes back to this server')
  else if (!outbound.allow.some(prefix => to.startsWith(prefix)))
    wrong(`a number that starts with one of twilio.outbound.allow: ${outbound.allow.join(', ')}`)
}
