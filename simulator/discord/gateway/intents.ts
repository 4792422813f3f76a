import { isJson, type Json } from '../json.ts'

/** Discord: Gateway Intents. */
const INTENTS = {
  Guilds: 0,
  GuildMembers: 1,
  GuildModeration: 2,
  GuildExpressions: 3,
  GuildIntegrations: 4,
  GuildWebhooks: 5,
  GuildInvites: 6,
  GuildVoiceStates: 7,
  GuildPresences: 8,
  GuildMessages: 9,
  GuildMessageReactions: 10,
  GuildMessageTyping: 11,
  DirectMessages: 12,
  DirectMessageReactions: 13,
  DirectMessageTyping: 14,
  MessageContent: 15,
  GuildScheduledEvents: 16,
  AutoModerationConfiguration: 20,
  AutoModerationExecution: 21,
  GuildMessagePolls: 24,
  DirectMessagePolls: 25,
} as const

type Intent = keyof typeof INTENTS

/** Enabled for an application by hand. */
export type PrivilegedIntent = 'GuildMembers' | 'GuildPresences' | 'MessageContent'

const PRIVILEGED: readonly PrivilegedIntent[] = ['GuildMembers', 'GuildPresences', 'MessageContent']
const KNOWN = Object.values(INTENTS).reduce<number>((bits, bit) => bits | (1 << bit), 0)

/** Intent required for each event; an event that is not listed is always sent. */
const NEEDS: Readonly<Record<string, Intent>> = {
  GUILD_CREATE: 'Guilds',
  GUILD_UPDATE: 'Guilds',
  GUILD_DELETE: 'Guilds',
  GUILD_ROLE_CREATE: 'Guilds',
  GUILD_ROLE_UPDATE: 'Guilds',
  GUILD_ROLE_DELETE: 'Guilds',
  CHANNEL_CREATE: 'Guilds',
  CHANNEL_UPDATE: 'Guilds',
  CHANNEL_DELETE: 'Guilds',
  THREAD_CREATE: 'Guilds',
  THREAD_UPDATE: 'Guilds',
  THREAD_DELETE: 'Guilds',
  GUILD_MEMBER_ADD: 'GuildMembers',
  GUILD_MEMBER_UPDATE: 'GuildMembers',
  GUILD_MEMBER_REMOVE: 'GuildMembers',
  VOICE_STATE_UPDATE: 'GuildVoiceStates',
  WEBHOOKS_UPDATE: 'GuildWebhooks',
  MESSAGE_CREATE: 'GuildMessages',
  MESSAGE_UPDATE: 'GuildMessages',
  MESSAGE_DELETE: 'GuildMessages',
  TYPING_START: 'GuildMessageTyping',
}

export function hasIntent(intents: number, intent: Intent): boolean {
  return (intents & (1 << INTENTS[intent])) !== 0
}

/** Whether `intents` has undefined bits. */
export function unknownIntents(intents: number): boolean {
  return (intents & ~KNOWN) !== 0
}

/** Privileged intents among `intents` that are not `enabled`. */
export function disallowed(
  intents: number,
  enabled: readonly PrivilegedIntent[],
): readonly PrivilegedIntent[] {
  return PRIVILEGED.filter(intent => hasIntent(intents, intent) && !enabled.includes(intent))
}

/** The application flags for the privileged intents that are enabled (Discord: Application Flags, limited). */
export function applicationFlags(enabled: readonly PrivilegedIntent[]): number {
  const bits = { GuildPresences: 1 << 13, GuildMembers: 1 << 15, MessageContent: 1 << 19 }
  return enabled.reduce((flags, intent) => flags | bits[intent], 0)
}

/** Returns the part of an event that a bot with `intents` receives; undefined if it does not receive the event. */
export function seenWith(intents: number, name: string, data: Json, botId: string): Json | undefined {
  const needed = NEEDS[name]
  const ownMember = name === 'GUILD_MEMBER_UPDATE' && isJson(data.user) && data.user.id === botId
  if (needed !== undefined && !hasIntent(intents, needed) && !ownMember) return undefined
  if (name === 'GUILD_CREATE') return withKnownMembers(intents, data, botId)
  if (name === 'MESSAGE_CREATE' || name === 'MESSAGE_UPDATE') return withContent(intents, data, botId)
  return data
}

/** Without the presence intent only the bot and members in voice channels are included (Discord: Guild Create). */
function withKnownMembers(intents: number, data: Json, botId: string): Json {
  if (hasIntent(intents, 'GuildPresences')) return data
  const present = new Set([botId, ...list(data.voice_states).map(state => state.user_id)])
  const members = list(data.members).filter(({ user }) => isJson(user) && present.has(String(user.id)))
  return { ...data, members }
}

/** Without the intent, the content of other people's messages is hidden unless they mention the bot. */
function withContent(intents: number, data: Json, botId: string): Json {
  if (hasIntent(intents, 'MessageContent')) return data
  const own = isJson(data.author) && data.author.id === botId
  if (own || list(data.mentions).some(({ id }) => id === botId)) return data
  return { ...data, content: '', embeds: [], attachments: [], components: [] }
}

function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : []
}
