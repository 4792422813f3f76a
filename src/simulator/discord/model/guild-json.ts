import type { Json } from '../json.ts'
import type { Guild } from './guild.ts'

/** Discord: Guild Object, with the lists that GUILD_CREATE adds. */
export function guildJson(guild: Guild): Json {
  const channels = [...guild.channels.values()]
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.owner.id,
    preferred_locale: guild.locale,
    roles: Array.from(guild.roles.values(), ({ json }) => json),
    channels: channels.filter(({ kind }) => kind !== 'thread').map(({ json }) => json),
    threads: channels.filter(({ kind }) => kind === 'thread').map(({ json }) => json),
    members: Array.from(guild.members.values(), ({ json }) => json),
    voice_states: Array.from(guild.voiceStates.values(), ({ json }) => json),
    ...EMPTY,
  }
}

/** Fields that are empty for every guild here. */
const EMPTY: Json = {
  icon: null,
  splash: null,
  discovery_splash: null,
  banner: null,
  description: null,
  vanity_url_code: null,
  features: [],
  afk_channel_id: null,
  afk_timeout: 300,
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  mfa_level: 0,
  nsfw_level: 0,
  application_id: null,
  system_channel_id: null,
  system_channel_flags: 0,
  rules_channel_id: null,
  public_updates_channel_id: null,
  safety_alerts_channel_id: null,
  premium_tier: 0,
  premium_progress_bar_enabled: false,
  max_members: 500_000,
  emojis: [],
  stickers: [],
  presences: [],
  stage_instances: [],
  guild_scheduled_events: [],
  soundboard_sounds: [],
  hub_type: null,
  incidents_data: null,
}
