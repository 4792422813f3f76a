import { DiscordAPIError, HTTPError, RateLimitError, REST } from 'discord.js'

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

/** Reason for which a request to Discord failed. */
export interface RestTrouble {
  readonly kind: 'token' | 'forbidden' | 'unknown' | 'limited' | 'refused' | 'broken' | 'unreachable'
  /** Message without tokens and addresses. */
  readonly text: string
}

/** Classifies an error from discord.js. */
export function restTrouble(error: unknown): RestTrouble {
  if (error instanceof RateLimitError) {
    const seconds = Math.ceil(error.retryAfter / 1_000)
    return { kind: 'limited', text: `too many requests: retry in ${seconds} s` }
  }
  if (error instanceof DiscordAPIError) {
    const text = `Discord answered ${error.status} (${error.code}): ${error.message.split('\n')[0]}`
    if (error.status === 401) return { kind: 'token', text: 'Discord rejected the token' }
    if (error.status === 403) return { kind: 'forbidden', text }
    return { kind: error.status === 404 ? 'unknown' : 'refused', text }
  }
  if (error instanceof HTTPError) return { kind: 'broken', text: `Discord answered ${error.status}` }
  // Thrown by discord.js after a 401 cleared its token.
  if (error instanceof Error && /Expected token to be set/.test(error.message))
    return { kind: 'token', text: 'Discord rejected the token' }
  return { kind: 'unreachable', text: `no answer (${codeOf(error)})` }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { cause } = error
  for (const each of [error, cause])
    if (each instanceof Error && 'code' in each && typeof each.code === 'string') return each.code
  return error.name
}
