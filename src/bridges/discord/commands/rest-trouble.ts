import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js'

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
