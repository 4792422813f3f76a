import { type Client, Status } from 'discord.js'
import type { LanguageId } from '../../../common/language.ts'
import type { ChannelEnd, StartRequest } from '../channel-interpreter.ts'
import { CHANNEL_DEFAULTS } from '../options.ts'
import type { VoiceLinkWatcher } from '../voice/link-options.ts'
import { OwnAdapter } from '../voice/own-adapter.ts'
import { VoiceLink } from '../voice/voice-link.ts'
import type { ChannelResources } from './channel-context.ts'
import { BotProblems, OutageNotice } from './channel-notices.ts'
import { ChannelRoom, sharedSpaceOf } from './channel-room.ts'
import { ChatOutput } from './chat-output.ts'
import { Occupancy } from './guild-events.ts'
import type { ChannelMember } from './guild-view.ts'
import { GuildView } from './guild-view.ts'
import { NicknameIndicator } from './nickname-indicator.ts'
import { People } from './people.ts'
import { PhoneNotices, PhoneParticipants } from './phone-participants.ts'
import { userOf } from './speakers.ts'
import { Welcome } from './welcome.ts'

/** Events from a session's parts. */
export interface SessionEvents {
  /** The state changed: check again. */
  changed(): void
  /** The bot was moved to another channel. */
  moved(): void
  over(end: ChannelEnd): void
  /** The members of the channel. */
  members(): readonly ChannelMember[]
}

/** The parts of a session. */
export interface SessionOptions {
  readonly view: GuildView
  readonly people: People
  /** Language of members who set none. */
  readonly fallback: LanguageId
  readonly link: VoiceLink
  readonly room: ChannelRoom
  readonly writing: ChatOutput
  readonly welcome: Welcome
  readonly troubles: BotProblems
  readonly occupancy: Occupancy
  readonly outage: OutageNotice
  readonly others: PhoneParticipants
  readonly news: PhoneNotices
  readonly indicator: NicknameIndicator | undefined
  /** The current channel as a mention. */
  readonly mention: () => string
}

/** Creates and connects the parts. Throws `RangeError` if the bot is not in the guild. */
export function sessionOptions(
  resources: ChannelResources,
  request: StartRequest,
  { id, room: roomName }: { readonly id: string; readonly room: string },
  events: SessionEvents,
): SessionOptions {
  const { client, register, relay, clock, log, announcer, dialer, preferences } = resources
  const { channelOptions = {} } = resources
  const { localeOf = () => undefined, nearest = same } = resources
  const { guildId, textChannelId, voice, captions: settings } = request
  const view = new GuildView(client, register, guildId, () => events.changed())
  const fallback = channelOptions.language ?? nearest(view.language)
  const { terms } = resources
  const people = new People({ view, preferences, localeOf, nearest, fallback, consent: terms.consent })
  const link = linkTo(resources, request, {
    state: state => state === 'ready' && events.changed(),
    moved: () => events.moved(),
    deaf: () => troubles.once('no audio', words => words.noAudio),
  })
  const mention = () => `<#${link.channelId}>`
  const room = new ChannelRoom(resources, {
    id,
    guildId,
    room: roomName,
    link,
    voice,
    fallback,
    onFull: () => troubles.once('full', words => words.full),
    onLost: ({ kind }) => (kind === 'parent-closed' ? events.over({ kind }) : events.changed()),
  })
  const writing = new ChatOutput({
    client,
    register,
    observer: relay.observer,
    room: roomName,
    textChannelId,
    settings,
    offered: resources.offered,
    consent: terms.consent.mode,
    pictureOf: participant => {
      const userId = userOf(participant)
      return userId === undefined ? undefined : view.pictureOf(userId)
    },
    clock,
    log,
    onEcho: (speaker, name) => troubles.once(`echo ${speaker}`, words => words.headphones(name)),
  })
  const welcome = new Welcome({
    announcer,
    clock,
    writing,
    output: language => room.output(language),
    startedBy: () => view.nameOf(request.startedBy),
    channel: mention,
    terms,
    informed: members => {
      people.inform(members)
      events.changed()
    },
  })
  const troubles = new BotProblems({
    view,
    voice,
    tell: notice => void writing.tell(notice),
    forbidden: () => events.over({ kind: 'refused', code: 'permissions' }),
  })
  const others = new PhoneParticipants({
    relay,
    announcer,
    dialer,
    room: roomName,
    sharedSpace: sharedSpaceOf(guildId),
    fallback,
    joined: () => {
      welcome.phone(events.members())
      if (news.standing) void others.tell(news.standing)
    },
  })
  const news = new PhoneNotices(notice => void others.tell(notice))
  const emptyAfterMs = channelOptions.emptyAfterMs ?? CHANNEL_DEFAULTS.emptyAfterMs
  void link.ended.then(end => events.over(isDestroyed(client) ? { kind: 'parent-closed' } : end))
  return {
    view,
    people,
    fallback,
    link,
    room,
    writing,
    welcome,
    troubles,
    occupancy: new Occupancy(clock, emptyAfterMs, () => events.over({ kind: 'empty' })),
    outage: new OutageNotice({ post: notice => writing.tell(notice) }),
    others,
    news,
    indicator:
      (channelOptions.nicknameIndicator ?? CHANNEL_DEFAULTS.nicknameIndicator)
        ? new NicknameIndicator(resources, guildId)
        : undefined,
    mention,
  }
}

function linkTo(
  { client, clock, log, counters, channelOptions = {} }: ChannelResources,
  { guildId, channelId }: StartRequest,
  watcher: VoiceLinkWatcher,
): VoiceLink {
  const guild = client.guilds.cache.get(guildId)
  if (!guild) throw new RangeError(`the bot is not in guild ${guildId}`)
  const adapter = new OwnAdapter(client, guild)
  return new VoiceLink({
    guildId,
    channelId,
    adapterCreator: adapter.create,
    taken: () => adapter.taken,
    userId: client.user?.id ?? '',
    dave: channelOptions.dave ?? CHANNEL_DEFAULTS.dave,
    clock,
    log,
    counters,
    watcher,
    // A destroyed client never reports our voice state again.
    gatewayUp: () => isDestroyed(client) || (guild.shard.status === Status.Ready && guild.available),
  })
}

/** discord.js clears the token of a destroyed client. */
function isDestroyed({ token }: Client): boolean {
  return token === null
}

function same(language: LanguageId): LanguageId {
  return language
}
