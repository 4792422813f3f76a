import { REST } from 'discord.js'

export interface DiscordRestSettings {
  readonly token: string
  /** Alternative to Discord's own address, with the path before `/v10`. */
  readonly apiUrl?: string | undefined
}

/** Timeout of a request (ms). */
const PATIENCE_MS = 5_000

/** Returns a client for Discord's REST API, for requests whose failure is reported to a user. */
export function restClient({ token, apiUrl }: DiscordRestSettings): REST {
  const rest = new REST({
    ...(apiUrl === undefined ? {} : { api: apiUrl.replace(/\/+$/, '') }),
    timeout: PATIENCE_MS,
    retries: 1,
    rejectOnRateLimit: () => true,
  })
  return rest.setToken(token)
}
