import { BridgeError } from '../../../core/errors.ts'

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

/** Who we are at the API. Throws `BridgeError` `CONFIG` when that is not clear. */
export function credentialsOf(settings: RestSettings): { user: string; password: string } {
  const { accountSid, authToken, apiKeySid, apiKeySecret } = settings
  if (!accountSid.startsWith('AC')) throw new BridgeError('CONFIG', 'accountSid must begin with AC')
  const [user, password] = apiKeySid === undefined ? [accountSid, authToken] : [apiKeySid, apiKeySecret]
  if (password) return { user, password }
  throw new BridgeError('CONFIG', 'the REST API needs an auth token, or an API key with its secret')
}
