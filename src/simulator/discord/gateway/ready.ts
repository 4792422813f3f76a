import type { Json } from '../json.ts'
import type { Guild } from '../model/guild.ts'
import type { World } from '../model/world.ts'
import type { GatewaySession } from './session.ts'

/** Discord: Ready. */
export function readyJson(terms: {
  world: World
  session: GatewaySession
  guilds: readonly Guild[]
  resumeUrl: string
}): Json {
  const { world, session, guilds, resumeUrl } = terms
  return {
    v: 10,
    user: { ...world.bot.json, verified: true, mfa_enabled: false, email: null, flags: 0 },
    guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
    session_id: session.sessionId,
    resume_gateway_url: resumeUrl,
    shard: session.shard,
    application: {
      id: world.application.id,
      flags: world.applicationFlags,
      flags_new: String(world.applicationFlags),
    },
    session_type: 'normal',
    private_channels: [],
    relationships: [],
    presences: [],
    _trace: [],
  }
}
