import { Status } from 'discord.js'
import type { LanguageId } from '../../../core/languages.ts'
import type { StartRequest } from '../channel-interpreter.ts'
import { VoiceLink } from '../voice/voice-link.ts'
import type { VoiceLinkWatcher } from '../voice/voice-link-options.ts'
import type { ChannelParts } from './channel-parts.ts'
import { GuildView } from './guild-view.ts'
import { People } from './people.ts'

/** What a session looks at a guild with, and the language of whoever said nothing. */
export interface Surroundings {
  readonly view: GuildView
  readonly people: People
  readonly fallback: LanguageId
}

/** `known` is called when somebody became known who was not. */
export function surroundings(
  { client, preferences, localeOf = () => undefined, nearest = same, options = {} }: ChannelParts,
  guildId: string,
  known: () => void,
): Surroundings {
  const view = new GuildView(client, guildId, known)
  const fallback = options.language ?? nearest(view.language)
  return { view, people: new People({ view, preferences, localeOf, nearest, fallback }), fallback }
}

/** A link to the voice channel of `request`. Throws `RangeError` where the bot is in no such guild. */
export function linkTo(
  { client, clock, log, counters, options = {} }: ChannelParts,
  { guildId, channelId }: StartRequest,
  watcher: VoiceLinkWatcher,
): VoiceLink {
  const guild = client.guilds.cache.get(guildId)
  if (!guild) throw new RangeError(`the bot is in no guild ${guildId}`)
  return new VoiceLink({
    guildId,
    channelId,
    adapterCreator: guild.voiceAdapterCreator,
    group: client.user?.id ?? 'default',
    dave: options.dave ?? true,
    clock,
    log,
    counters,
    watcher,
    gatewayUp: () => guild.shard.status === Status.Ready,
  })
}

function same(language: LanguageId): LanguageId {
  return language
}
