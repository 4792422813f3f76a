import type { Twilio } from 'twilio'
import { BridgeError } from '../../../core/errors.ts'
import { assertInstalled } from '../../../core/optional-part.ts'

/** How the account's REST API is reached and who we are there. */
export interface RestSettings {
  /** `AC…` */
  readonly accountSid: string
  /** The account's auth token; or an API key in its place, which can be revoked alone. */
  readonly authToken?: string | undefined
  readonly apiKeySid?: string | undefined
  readonly apiKeySecret?: string | undefined
  /** Another address than Twilio's, `http://127.0.0.1:8081`: a stand-in for tests, a gateway. Excludes region and edge. */
  readonly apiUrl?: string | undefined
  /** As Twilio names them, `ie1` and `dublin`; both or neither. Credentials belong to a region. */
  readonly region?: string | undefined
  readonly edge?: string | undefined
}

/** Longest wait for an answer of the API (ms). */
const TIMEOUT_MS = 10_000
/** Largest answer read (bytes); a call resource has about 2 kB. */
const MAX_ANSWER_BYTES = 262_144

/**
 * Twilio's own client for `settings`. It is loaded here and not before, as it takes a tenth of a second. Rejects with
 * `BridgeError` `CONFIG` for credentials that are incomplete, `NOT_INSTALLED` without the package `twilio`.
 */
export async function restClient(settings: RestSettings): Promise<Twilio> {
  const { accountSid, apiUrl, region, edge } = settings
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
    ...(region === undefined ? {} : { region }),
    ...(edge === undefined ? {} : { edge }),
  })
}

/** Who we are at the API. Throws `BridgeError` `CONFIG` when that is not clear. */
export function credentialsOf(settings: RestSettings): { user: string; password: string } {
  const { accountSid, authToken, apiKeySid, apiKeySecret } = settings
  if (!accountSid.startsWith('AC')) throw new BridgeError('CONFIG', 'accountSid must begin with AC')
  const [user, password] = apiKeySid === undefined ? [accountSid, authToken] : [apiKeySid, apiKeySecret]
  if (password) return { user, password }
  throw new BridgeError('CONFIG', 'the REST API needs an auth token, or an API key with its secret')
}
