import { carrierApi } from '../../app/carriers.ts'
import type { Config } from '../../app/settings/load.ts'
import { CarrierError } from '../../bridges/phone/carrier.ts'
import { CARRIERS, type RegisteredCarrier } from '../../bridges/phone/carriers.ts'
import { BridgeError } from '../../common/errors.ts'
import { type Check, fail, ok, warn } from './check.ts'

/**
 * Checks the accounts of all carriers with `outbound`, except Twilio’s, which has more checks: whether their credentials are
 * valid, and what the carrier reports about them. Carriers whose APIs do not report it are skipped.
 */
export async function carrierAccountChecks(config: Config): Promise<Check[]> {
  const others = CARRIERS.filter(({ name }) => name !== 'twilio')
  const checks = await Promise.all(others.map(carrier => accountCheck(carrier, config)))
  return checks.flat()
}

async function accountCheck({ name, title }: RegisteredCarrier, config: Config): Promise<Check[]> {
  const what = `${title} account`
  const settings = `check ${name}.outbound`
  try {
    const api = await carrierApi(config, name)
    const state = await api?.account?.()
    if (!state) return []
    const { problem, voiceUrl } = state
    if (problem !== undefined) return [fail(what, problem, `check the account at ${title}`)]
    if (voiceUrl === undefined || config.publicUrl === undefined)
      return [ok(what, 'its credentials are valid')]
    const wanted = `${config.publicUrl.replace(/\/+$/, '')}/${name}/voice`
    if (voiceUrl.split('?')[0] === wanted) return [ok(what, 'its application routes to this server')]
    // Incoming calls can use another application.
    const found = voiceUrl === '' ? 'no address' : voiceUrl
    return [
      warn(what, `its application has ${found}`, `set ${wanted}, unless numbers have another application`),
    ]
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    const unsure = error instanceof CarrierError && error.kind !== 'refused'
    return [unsure ? warn(what, error.message, settings) : fail(what, error.message, settings)]
  }
}
