import type { Twilio } from 'twilio'
import { assertInstalled } from '../../core/optional-part.ts'

/** Where a stand-in is, and who is let in there. */
export interface StandInAddress {
  readonly url: string
  readonly accountSid: string
  readonly authToken: string
}

/**
 * Twilio's own client, unmodified, whose requests go to a stand-in instead of twilio.com; by the account's token, or by
 * an API key. Only the host is exchanged: what is sent and read is what the client always sends and reads.
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
