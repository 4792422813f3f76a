import type { Json } from '../../json.ts'
import type { World } from '../../model/world.ts'
import { ok, type Route } from '../route.ts'

export const GATEWAY_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/gateway/bot',
    handle: (_, { gateway, guilds }) =>
      ok({
        url: gateway.url,
        shards: gateway.shards ?? Math.max(1, Math.ceil(guilds.size / 1_000)),
        session_start_limit: {
          total: 1_000,
          remaining: gateway.identifiesLeft,
          reset_after: 86_400_000,
          max_concurrency: gateway.shards ?? 1,
        },
      }),
  },
]

export const USER_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/users/@me', handle: (_, world) => ok(botJson(world)) },
  {
    method: 'GET',
    path: '/users/@me/guilds',
    handle: (_, { guilds }) =>
      ok(
        Array.from(guilds.values(), guild => ({
          id: guild.id,
          name: guild.name,
          icon: null,
          banner: null,
          owner: false,
          permissions: String(guild.bot.permissions),
          features: [],
        })),
      ),
  },
  { method: 'GET', path: '/applications/@me', handle: (_, world) => ok(applicationJson(world)) },
]

function botJson({ bot }: World): Json {
  return { ...bot.json, verified: true, mfa_enabled: false, email: null, locale: bot.locale, flags: 0 }
}

/** Discord: Application Object. */
function applicationJson({ application, applicationFlags, bot, guilds }: World): Json {
  return {
    id: application.id,
    name: application.name,
    icon: null,
    description: '',
    summary: '',
    bot: bot.json,
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    team: null,
    owner: null,
    flags: applicationFlags,
    flags_new: String(applicationFlags),
    approximate_guild_count: guilds.size,
    approximate_user_install_count: 0,
    redirect_uris: [],
    interactions_endpoint_url: null,
    tags: [],
    integration_types_config: {
      0: { oauth2_install_params: { scopes: ['bot', 'applications.commands'], permissions: '0' } },
    },
  }
}
