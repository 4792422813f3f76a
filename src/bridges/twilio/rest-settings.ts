import { BridgeError } from '../../common/errors.ts'

/** Access to the account’s REST API. */
export interface RestSettings {
  /** `AC…` */
  readonly accountSid: string
  /** The account’s auth token, or an API key instead, which can be revoked separately. */
  readonly authToken?: string | undefined
  readonly apiKeySid?: string | undefined
  readonly apiKeySecret?: string | undefined
  /**
   * Replaces Twilio’s address, for example `http://127.0.0.1:8081` for a simulator or gateway. Excludes region and
   * edge.
   */
  readonly apiUrl?: string | undefined
  /** Twilio’s names, such as `ie1` and `dublin`; set both or neither. Credentials belong to a region. */
  readonly region?: string | undefined
  readonly edge?: string | undefined
}

/** Returns the API credentials. Throws `BridgeError` `CONFIG` if they are incomplete. */
export function credentialsOf(settings: RestSettings): { user: string; password: string } {
  const { accountSid, authToken, apiKeySid, apiKeySecret } = settings
  if (!accountSid.startsWith('AC')) throw new BridgeError('CONFIG', 'accountSid must start with AC')
  const [user, password] = apiKeySid === undefined ? [accountSid, authToken] : [apiKeySid, apiKeySecret]
  if (password) return { user, password }
  throw new BridgeError('CONFIG', 'the REST API needs an auth token, or an API key and its secret')
}
