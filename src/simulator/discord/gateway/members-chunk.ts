import type { Json } from '../json.ts'
import type { Guild } from '../model/guild.ts'
import type { ClientMessage } from './client-message.ts'
import { hasIntent } from './intents.ts'

/** The response to op 8; undefined for a request of the whole list without the intent, which gets no response. */
export function membersChunk(
  guild: Guild,
  { userIds, query, limit, nonce }: ClientMessage & { kind: 'members' },
  intents: number,
): Json | undefined {
  const everybody = [...guild.members.values()]
  if (userIds.length === 0 && (query ?? '') === '' && !hasIntent(intents, 'GuildMembers')) return undefined
  const wanted =
    userIds.length > 0
      ? everybody.filter(({ id }) => userIds.includes(id))
      : everybody.filter(({ displayName }) =>
          displayName.toLowerCase().startsWith((query ?? '').toLowerCase()),
        )
  const members = limit > 0 ? wanted.slice(0, limit) : wanted
  return {
    guild_id: guild.id,
    members: members.map(({ json }) => json),
    chunk_index: 0,
    chunk_count: 1,
    not_found: userIds.filter(id => !guild.members.has(id)),
    ...(nonce === undefined ? {} : { nonce }),
  }
}
