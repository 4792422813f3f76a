import { REST } from 'discord.js'

export interface DiscordRestSettings {
  readonly token: string
  /** Another address than Discord's own, with the path before `/v10`. */
  readonly apiUrl?: string | undefined
}

/** Longest wait for one answer (ms). */
const PATIENCE_MS = 5_000

/** Discord's REST API by discord.js's client, for a few requests whose failure somebody waits to hear of. */
export function restClient({ token, apiUrl }: DiscordRestSettings): REST {
  const rest = new REST({
    ...(apiUrl === undefined ? {} : { api: apiUrl.replace(/\/+$/, '') }),
    timeout: PATIENCE_MS,
    retries: 1,
    rejectOnRateLimit: () => true,
  })
  return rest.setToken(token)
}
