import type { Twilio } from 'twilio'
import { assertInstalled } from '../../../common/optional-package.ts'

/** Address and credentials of a simulator. */
export interface StandInAddress {
  readonly url: string
  readonly accountSid: string
  readonly authToken: string
}

/**
 * Returns Twilio's own client, unmodified, whose requests go to a simulator instead of twilio.com, with the account's
 * token or an API key. Only the host is replaced: requests and responses are those of the real client.
 */
export async function twilioClientFor(
  standIn: StandInAddress,
  key?: { readonly sid: string; readonly secret: string },
): Promise<Twilio> {
  assertInstalled('twilio')
  const { default: twilio } = await import('twilio')
  const httpClient = new twilio.RequestClient()
  const send = httpClient.request.bind(httpClient)
  httpClient.request = options => {
    const { pathname, search } = new URL(options.uri)
    return send({ ...options, uri: standIn.url + pathname + search })
  }
  const { accountSid, authToken } = standIn
  return twilio(key?.sid ?? accountSid, key?.secret ?? authToken, { accountSid, httpClient })
}
