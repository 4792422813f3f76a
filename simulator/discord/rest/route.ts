import type { Json } from '../json.ts'
import type { Channel } from '../model/channel.ts'
import type { Guild } from '../model/guild.ts'
import type { Message } from '../model/message.ts'
import type { PermissionName } from '../model/permissions.ts'
import { VoiceChannel } from '../model/voice-channel.ts'
import type { World } from '../model/world.ts'
import { ApiError } from './api-error.ts'

/** A request with its route resolved. */
export interface ApiRequest {
  /** The named segments of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Parsed; undefined without one. */
  readonly body: unknown
}

export interface ApiReply {
  readonly status: number
  /** Undefined for an empty body, as with 204. */
  readonly body: Json | readonly Json[] | undefined
}

export function ok(body: Json | readonly Json[], status = 200): ApiReply {
  return { status, body }
}

export const NO_CONTENT: ApiReply = { status: 204, body: undefined }

/** Required authentication: the bot's token, or a token in the path. */
export type RouteAuth = 'bot' | 'path'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/channels/:channel/messages/:message`. */
  readonly path: string
  /** Default `bot`. */
  readonly auth?: RouteAuth
  readonly handle: (request: ApiRequest, world: World) => ApiReply
}

/** `PATCH /channels/:channel/messages/:message`. */
export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}

export interface FoundRoute {
  readonly route: Route
  /** `PATCH /channels/:channel/messages/:message`. */
  readonly name: string
  readonly params: Readonly<Record<string, string>>
}

/** Resolves paths to routes; `:name` matches any one segment. */
export class Routes {
  readonly #routes: readonly {
    readonly route: Route
    readonly name: string
    readonly parts: readonly string[]
  }[]

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map(route => ({
      route,
      name: nameOf(route),
      parts: route.path.split('/'),
    }))
  }

  /** `path` is unchanged: percent-encoded, without the query. Undefined if there is no route. */
  find(method: string, path: string): FoundRoute | undefined {
    const steps = path.split('/').map(decoded)
    for (const { route, name, parts } of this.#routes) {
      if (route.method !== method || parts.length !== steps.length) continue
      const params = matched(parts, steps)
      if (params) return { route, name, params }
    }
    return undefined
  }
}

function matched(
  parts: readonly string[],
  steps: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const params: Record<string, string> = {}
  for (const [at, part] of parts.entries()) {
    const step = steps[at]!
    if (part.startsWith(':') && step !== '') params[part.slice(1)] = step
    else if (part !== step) return undefined
  }
  return params
}

/** The decoded segment, or an impossible segment if the encoding is invalid. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return ''
  }
}

/** The guild of a path. Throws `ApiError`. */
export function guildOf(world: World, id: string | undefined): Guild {
  const guild = world.guilds.get(id ?? '')
  if (!guild) throw ApiError.of(world.left.has(id ?? '') ? 50001 : 10004)
  return guild
}

/** The channel of a path, which must be visible to the bot with `permissions`. Throws `ApiError`. */
export function channelOf(
  world: World,
  id: string | undefined,
  ...permissions: readonly PermissionName[]
): Channel {
  const channel = world.channel(id ?? '')
  if (!channel) throw ApiError.of(10003)
  const { bot } = channel.guild
  if (!bot.can('ViewChannel', channel)) throw ApiError.of(50001)
  // The chat of a voice channel requires the permission to connect to it.
  if (channel instanceof VoiceChannel && !bot.can('Connect', channel)) throw ApiError.of(50001)
  if (!permissions.every(name => bot.can(name, channel))) throw ApiError.of(50013)
  return channel
}

/** A message visible to everyone. Throws `ApiError`. */
export function messageOf(channel: Channel, id: string | undefined): Message {
  const message = channel.visible.find(each => each.id === id)
  if (!message) throw ApiError.of(10008)
  return message
}
