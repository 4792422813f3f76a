import type { Twilio } from 'twilio'
import { BridgeError } from '../../../common/errors.ts'
import { assertInstalled } from '../../../common/optional-package.ts'
import type { RestSettings } from './settings.ts'

/** Response timeout of the API (ms). */
const TIMEOUT_MS = 10_000
/** The edge of each region outside the United States (Twilio, "Regions"). */
const EDGES: Readonly<Record<string, string>> = { ie1: 'dublin', au1: 'sydney' }
/** Maximum response size (bytes); a call resource has about 2 kB. */
const MAX_ANSWER_BYTES = 262_144

// A file of its own: the declarations of the package must not name Twilio’s types, since its client is optional.

/**
 * Creates Twilio’s client for `settings`. Loaded on demand, since loading takes a tenth of a second. Rejects with
 * `BridgeError` `CONFIG` for incomplete credentials, `NOT_INSTALLED` without the package `twilio`.
 */
export async function restClient(settings: RestSettings): Promise<Twilio> {
  const { accountSid, apiUrl, region } = settings
  const { user, password } = credentialsOf(settings)
  assertInstalled('twilio')
  const { default: twilio } = await import('twilio')
  const httpClient = new twilio.RequestClient({ timeout: TIMEOUT_MS })
  httpClient.axios.defaults.maxContentLength = MAX_ANSWER_BYTES
  if (apiUrl !== undefined) {
    const base = apiUrl.replace(/\/+$/, '')
    const send = httpClient.request.bind(httpClient)
    httpClient.request = options => {
      const { pathname, search } = new URL(options.uri)
      return send({ ...options, uri: base + pathname + search })
    }
  }
  return twilio(user, password, {
    accountSid,
    httpClient,
    region,
    edge: region && EDGES[region],
  })
}

/** Returns the API credentials. Throws `BridgeError` `CONFIG` if they are incomplete. */
export function credentialsOf(settings: RestSettings): { user: string; password: string } {
  const { accountSid, authToken, apiKeySid, apiKeySecret } = settings
  if (!accountSid.startsWith('AC')) throw new BridgeError('CONFIG', 'accountSid must start with AC')
  const [user, password] = apiKeySid === undefined ? [accountSid, authToken] : [apiKeySid, apiKeySecret]
  if (password) return { user, password }
  throw new BridgeError('CONFIG', 'the REST API needs an auth token, or an API key and its secret')
}
