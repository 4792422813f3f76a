import type { Wrong } from './combinations.ts'
import type { CheckedConfig } from './schema.ts'

type NumberConfig = CheckedConfig['twilio']['numbers'][string]
type Outbound = NonNullable<CheckedConfig['twilio']['outbound']>

/** Settings of calls that are fine alone and wrong together. */
export function checkCalls({ twilio, calls, publicUrl }: CheckedConfig, wrong: Wrong): void {
  checkOutbound(twilio, wrong)
  if (twilio.outbound && twilio.outbound.apiUrl === undefined && publicUrl === undefined)
    wrong(['publicUrl'], 'the https:// address that Twilio calls, as twilio.outbound is set')
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
    wrong(at('apiKeySecret'), 'the secret of the API key, as apiKeySid is set')
  if (apiKeySid === undefined && apiKeySecret !== undefined)
    wrong(at('apiKeySid'), 'the SID of the API key, as apiKeySecret is set')
  if (outbound.authToken !== undefined && apiKeySid !== undefined)
    wrong(at('authToken'), 'nothing, as there is an API key')
  const token = outbound.authToken ?? authToken ?? authTokens?.[0]
  if (apiKeySid === undefined && apiKeySecret === undefined && token === undefined)
    wrong(at('authToken'), 'the auth token of the account, unless there is an API key')
  if ((region === undefined) !== (edge === undefined))
    wrong(at(region === undefined ? 'region' : 'edge'), 'both a region and an edge, or neither')
  if (apiUrl !== undefined && region !== undefined) wrong(at('apiUrl'), 'nothing, as there is a region')
  checkPrices(outbound, allowed => wrong(at('prices'), allowed))
}

/** What has no price cannot be kept below a ceiling, so it could not be called at all. */
function checkPrices(
  { allow, prices = {}, maxSpendPerDay, maxSpendPerNumber, maxSpendPerKey }: Outbound,
  wrong: (allowed: string) => void,
): void {
  if (maxSpendPerDay === undefined && maxSpendPerNumber === undefined && maxSpendPerKey === undefined) return
  const known = Object.keys(prices)
  const without = allow.filter(prefix => !known.some(each => prefix.startsWith(each)))
  if (without.length > 0)
    wrong(`a price for each prefix of allow, as there is a ceiling; none fits ${without.join(', ')}`)
}

function checkRoom({ dial, room, roomCode }: NumberConfig, wrong: Wrong): void {
  if (dial && room !== undefined) wrong(['room'], 'nothing, as each call of a number with dial has its own')
  if (roomCode && room !== undefined) wrong(['room'], 'nothing, as the code decides on the room')
  if (roomCode && dial) wrong(['roomCode'], 'false, as callers are connected by dial')
}

function checkMenu({ menu, dial, room, roomCode }: NumberConfig, remembers: boolean, wrong: Wrong): void {
  if (!menu || menu.mode === 'fixed') return
  if (menu.mode === 'remembered' && !remembers)
    wrong(['menu', 'mode'], 'menu, unless calls.remembered says where languages are remembered')
  if (!dial && room === undefined && !roomCode)
    wrong(['menu'], 'nothing, unless there is somebody to talk to: with dial, room or roomCode')
}

function checkDial(
  to: string,
  number: string,
  { outbound }: CheckedConfig['twilio'],
  wrong: (allowed: string) => void,
): void {
  if (!outbound) wrong('nothing, unless twilio.outbound says how to dial out')
  else if (to === number || to === outbound.from) wrong('another number than one that leads back here')
  else if (!outbound.allow.some(prefix => to.startsWith(prefix)))
    wrong(`a number that begins with one of twilio.outbound.allow: ${outbound.allow.join(', ')}`)
}
