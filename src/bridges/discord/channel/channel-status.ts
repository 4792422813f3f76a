import type { ChannelOutput, ChannelStatus } from '../channel-interpreter.ts'
import type { SessionParts } from './channel-components.ts'
import type { ChannelMember } from './member.ts'

/** Returns the current status of a channel, collected from its parts. */
export function statusOf(
  guildId: string,
  { link, room, writing }: Pick<SessionParts, 'link' | 'room' | 'writing'>,
  members: readonly ChannelMember[],
  more: { readonly sinceMs: number; readonly output: ChannelOutput },
): ChannelStatus {
  const { state, encrypted, channelId } = link
  return {
    guildId,
    channelId,
    textChannelId: writing.channelId,
    room: room.name,
    state: state === 'ready' ? 'listening' : state === 'joining' ? 'joining' : 'reconnecting',
    encrypted,
    ...more,
    spoken: room.spoken,
    written: room.choice.written,
    captions: writing.settings,
    speakers: members.map(({ userId, language, languageFrom, consents }) => ({
      userId,
      language,
      languageFrom,
      consents,
    })),
    away: room.away,
  }
}
