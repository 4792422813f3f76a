import type { ChannelOutput, ChannelStatus } from '../channel-interpreter.ts'
import type { VoiceLink } from '../voice/voice-link.ts'
import type { ChannelRoom } from './channel-room.ts'
import type { ChannelMember } from './member.ts'
import type { Writing } from './writing.ts'

/** How it stands with a channel: what its parts say of themselves. */
export function statusOf(
  guildId: string,
  { state, encrypted, channelId }: VoiceLink,
  { name: room, choice, spoken, away }: ChannelRoom,
  { channelId: textChannelId, settings: captions }: Writing,
  members: readonly ChannelMember[],
  more: { readonly sinceMs: number; readonly output: ChannelOutput },
): ChannelStatus {
  return {
    guildId,
    channelId,
    textChannelId,
    room,
    state: state === 'ready' ? 'listening' : state === 'joining' ? 'joining' : 'reconnecting',
    encrypted,
    ...more,
    spoken,
    written: choice.written,
    captions,
    speakers: members.map(({ userId, language, languageFrom, consents }) => ({
      userId,
      language,
      languageFrom,
      consents,
    })),
    away,
  }
}
