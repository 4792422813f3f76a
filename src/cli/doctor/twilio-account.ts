import { RestFailure } from '../../bridges/telephony/outbound/rest-failure.ts'
import { restClient } from '../../bridges/twilio/rest-client.ts'
import type { RestSettings } from '../../bridges/twilio/rest-settings.ts'
import { voiceSettingsOf } from '../../bridges/twilio/voice-settings.ts'
import type { Config } from '../../config/load.ts'
import type { ExaminedAccount } from './account-checks.ts'

/** Opens the account of `twilio.outbound` with Twilio’s client; undefined if it is not set. */
export async function openAccount(config: Config): Promise<ExaminedAccount | undefined> {
  const { outbound } = config.twilio
  if (!outbound) return undefined
  const settings: RestSettings = { ...outbound, authToken: outbound.authToken ?? config.twilio.authTokens[0] }
  const client = await restClient(settings)
  return {
    account: () => answered(client.api.v2010.accounts(outbound.accountSid).fetch()),
    async number(phoneNumber) {
      const found = await answered(client.incomingPhoneNumbers.list({ phoneNumber, limit: 2 }))
      const number = found.find(each => each.phoneNumber === phoneNumber)
      return number && voiceSettingsOf(number)
    },
    async callable(country) {
      const permissions = await answered(client.voice.v1.dialingPermissions.countries(country).fetch())
      return permissions.lowRiskNumbersEnabled
    },
  }
}

async function answered<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw RestFailure.from(error)
  }
}
