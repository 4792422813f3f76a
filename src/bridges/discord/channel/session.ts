import { type Client, Status } from 'discord.js'
import { type Clock, setTimer, Ticker, withTimeout } from '../../../common/clock.ts'
import { BridgeError } from '../../../common/errors.ts'
import { type LanguageId, languageId } from '../../../common/language.ts'
import type { Logger } from '../../../common/log.ts'
import type { RoomCodes } from '../../../core/calls/room-codes.ts'
import type { Announcer } from '../../../core/model/announcer.ts'
import type { Dialer } from '../../../core/model/dialer.ts'
import type { Admission } from '../../../core/model/invitation.ts'
import type { Relay } from '../../../core/room/relay.ts'
import { catalogFor } from '../../../messages/catalogs.ts'
import { ChatOutput } from '../captions/chat-output.ts'
import { DiscordChat } from '../captions/discord-chat.ts'
import type { LanguageList } from '../commands/language-choices.ts'
import { languageMenu } from '../commands/language-menu.ts'
import { privacyButtons, resumeButton } from '../commands/notice-buttons.ts'
import {
  type CaptionSettings,
  type ChannelEnd,
  type ChannelInterpreter,
  type ChannelObserver,
  type ChannelStatus,
  type OutputLanguages,
  outputLanguages,
  type Preferences,
  type RunningChannel,
  type StartRequest,
} from '../contract.ts'
import type { LinkCounters } from '../counters.ts'
import type { GuildEvents } from '../guild-events.ts'
import type { CheckedChannelOptions } from '../options.ts'
import type { OutputPacer } from '../voice/channel-output.ts'
import { OwnAdapter } from '../voice/own-adapter.ts'
import { VoiceLink } from '../voice/voice-link.ts'
import type { VoiceRegister } from '../voice-register.ts'
import { BotProblems } from './bot-problems.ts'
import { GuildView } from './guild-view.ts'
import { NicknameIndicator } from './nickname-indicator.ts'
import { endNotice, type NoticeTerms } from './notice-terms.ts'
import { type Amend, ChannelNotices } from './notices.ts'
import { OutageAlert } from './outage-alert.ts'
import { type ChannelMember, People } from './people.ts'
import { Phones } from './phones.ts'
import { ChannelRoom, sharedSpaceOf } from './room.ts'
import { userOf } from './speakers.ts'
import { type CastableVoice, VoiceCasting } from './voice-casting.ts'
import { languagesOf, Welcome } from './welcome.ts'

/** Maximum wait for the notice at the start (ms). Listening starts only after it is posted. */
const NOTICE_MS = 3_000
/** Interval of the checks for changes without an event (ms). */
const CHECK_MS = 1_000
/** Checks between attempts to listen again to speakers whose leg failed or was rejected. */
const MISSED_CHECKS = 5
/** Checks between requests for the roles of a member. */
const ROLE_CHECKS = 2
/** Time limit for the last requests to Discord (ms). */
const LAST_REQUESTS_MS = 4_000
/** Lifetime of a room code: people enter it at once (minutes). */
const CODE_MINUTES = 30

/** What all channels of an interpreter share. A channel closes none of it. */
export interface ChannelServices {
  readonly client: Client
  /** Follows the client's voice channels. */
  readonly register: VoiceRegister
  readonly events: GuildEvents
  readonly relay: Relay
  /** Admits legs to rooms. */
  readonly admission: Admission
  readonly announcer: Announcer
  /** Absent: outbound calls are disabled. */
  readonly dialer?: Dialer | undefined
  /** Absent: room codes are disabled. */
  readonly roomCodes?: Pick<RoomCodes, 'issue' | 'find'> | undefined
  readonly preferences: Preferences
  /** Locale of the user's client (a Discord locale), if known. */
  readonly localeOf: (userId: string) => string | undefined
  readonly languages: Pick<LanguageList, 'known' | 'nearest'>
  /** The service's voices, as far as they are known. */
  readonly voices: () => readonly CastableVoice[]
  readonly options: CheckedChannelOptions
  /** Consent and storage, as stated in the notices. */
  readonly terms: NoticeTerms
  /** The timer shared by the voices of all channels. */
  readonly pacer: OutputPacer
  /** Sums over all channels. */
  readonly counters: LinkCounters
  readonly observer: ChannelObserver
  readonly clock: Clock
  readonly log: Logger
}

/** One interpreted voice channel, from joining to leaving. The creator awaits `ended`. */
export class ChannelSession implements ChannelInterpreter {
  readonly guildId: string
  /** Clock time at which it started (ms). */
  readonly startedAt: number
  readonly ended: Promise<ChannelEnd>
  readonly #services: ChannelServices
  readonly #request: StartRequest
  readonly #settle: (end: ChannelEnd) => void
  /** Language of members who set none. */
  readonly #fallback: LanguageId
  readonly #view: GuildView
  readonly #people: People
  readonly #link: VoiceLink
  readonly #room: ChannelRoom
  readonly #chat: ChatOutput
  readonly #notices: ChannelNotices
  readonly #welcome: Welcome
  readonly #problems: BotProblems
  readonly #outage: OutageAlert
  readonly #phones: Phones
  readonly #indicator: NicknameIndicator
  #members: readonly ChannelMember[] = []
  #output: OutputLanguages
  #watch: Disposable | undefined
  #ticker: Ticker | undefined
  #checks = 0
  /** Ends interpreting of an empty channel. */
  #emptyTimer: Disposable | undefined
  /** The notice is posted, so listening is allowed. */
  #begun = false
  #paused: boolean
  /** The notice that interpreting is paused. */
  #pauseNotice: Promise<Amend | undefined> | undefined
  #finishing: Promise<ChannelEnd> | undefined

  /**
   * `id` is unique in this process; `room` is the room of its participants. Throws `RangeError` if the bot is not in
   * the guild.
   */
  constructor(
    services: ChannelServices,
    request: StartRequest,
    { id, room }: { readonly id: string; readonly room: string },
  ) {
    const { client, register, relay, announcer, dialer, preferences, localeOf, languages } = services
    const { options, terms, clock, log } = services
    const { guildId, textChannelId, voice } = request
    this.guildId = guildId
    this.startedAt = clock.now()
    const { promise, resolve } = Promise.withResolvers<ChannelEnd>()
    this.ended = promise
    this.#settle = resolve
    this.#services = services
    this.#request = request
    this.#output = request.output
    this.#paused = request.paused ?? false

    this.#view = new GuildView(client, register, guildId, () => this.#refresh())
    this.#fallback = options.language ?? languages.nearest(this.#view.language)
    this.#people = new People({
      view: this.#view,
      preferences,
      localeOf,
      nearest: language => languages.nearest(language),
      fallback: this.#fallback,
      consent: terms.consent,
    })
    this.#link = this.#newLink()
    void this.#link.ended.then(end => this.#finish(isDestroyed(client) ? { kind: 'parent-closed' } : end))
    this.#room = this.#newRoom(id, room)
    this.#chat = new ChatOutput({
      client,
      register,
      observer: relay.observer,
      room,
      textChannelId,
      settings: request.captions,
      pictureOf: participant => {
        const userId = userOf(participant)
        return userId === undefined ? undefined : this.#view.pictureOf(userId)
      },
      clock,
      log,
      onEcho: (speaker, name) => this.#problems.once(`echo ${speaker}`, words => words.headphones(name)),
    })
    this.#notices = new ChannelNotices({
      chat: new DiscordChat({ client, register }, textChannelId),
      components: readers => {
        const [language = 'en-us'] = readers
        const menu = languageMenu(language, languages.known, readers)
        const buttons = privacyButtons(language, terms.consent.mode)
        return menu ? [menu, buttons] : [buttons]
      },
    })
    this.#welcome = new Welcome({
      announcer,
      clock,
      notices: this.#notices,
      output: language => this.#room.output(language),
      startedBy: () => this.#view.nameOf(request.startedBy),
      channel: () => this.#mention,
      terms,
      informed: members => {
        this.#people.inform(members)
        this.#refresh()
      },
    })
    this.#problems = new BotProblems({
      view: this.#view,
      voice,
      report: notice => void this.#notices.tell(notice),
      forbidden: () => void this.#finish({ kind: 'refused', code: 'permissions' }),
    })
    this.#outage = new OutageAlert(notice => this.#notices.tell(notice))
    this.#phones = new Phones({
      relay,
      announcer,
      dialer,
      room,
      sharedSpace: sharedSpaceOf(guildId),
      fallback: this.#fallback,
      joined: () => this.#welcome.phone(this.#members),
    })
    this.#indicator = new NicknameIndicator({ client, register, log }, guildId)
  }

  #newLink(): VoiceLink {
    const { client, clock, log, counters, options } = this.#services
    const { guildId, channelId } = this.#request
    const guild = client.guilds.cache.get(guildId)
    if (!guild) throw new RangeError(`the bot is not in guild ${guildId}`)
    const adapter = new OwnAdapter(client, guild)
    return new VoiceLink({
      guildId,
      channelId,
      adapterCreator: adapter.create,
      replaced: () => adapter.replaced,
      userId: client.user?.id ?? '',
      dave: options.dave,
      clock,
      log,
      counters,
      watcher: {
        state: state => {
          if (state === 'ready') this.#refresh()
        },
        moved: () => this.#moved(),
        deaf: () => this.#problems.once('no audio', words => words.noAudio),
      },
      // A destroyed client never reports our voice state again.
      gatewayUp: () => isDestroyed(client) || (guild.shard.status === Status.Ready && guild.available),
    })
  }

  #newRoom(id: string, room: string): ChannelRoom {
    const { relay, admission, pacer, counters, log, voices, options } = this.#services
    const { guildId, voice } = this.#request
    return new ChannelRoom({
      id,
      guildId,
      room,
      link: this.#link,
      voice,
      fallback: this.#fallback,
      relay,
      admission,
      pacer,
      counters,
      casting: new VoiceCasting({ offered: voices, only: options.voices.only }),
      log,
      onFull: () => this.#problems.once('full', words => words.full),
      onLost: ({ kind }) => {
        if (kind === 'parent-closed') void this.#finish({ kind })
        else this.#refresh()
      },
    })
  }

  get channelId(): string {
    return this.#link.channelId
  }

  /** The settings to start it again unchanged. */
  get running(): RunningChannel {
    return {
      guildId: this.guildId,
      channelId: this.channelId,
      textChannelId: this.#chat.channelId,
      captions: this.#chat.settings,
      output: this.#output,
      voice: this.#request.voice,
      paused: this.#paused || undefined,
    }
  }

  /** False if it joined an existing room by code. */
  get ownsRoom(): boolean {
    return this.#request.roomCode === undefined
  }

  /** Only the goodbyes remain. */
  get ending(): boolean {
    return this.#finishing !== undefined
  }

  /**
   * Joins the voice channel. Resolves with undefined when interpreting has started, otherwise with the reason of the
   * failure.
   */
  async join(): Promise<ChannelEnd | undefined> {
    const { clock, log, events } = this.#services
    this.#chat.captions.start()
    this.#phones.start()
    const failed = await this.#link.join()
    if (failed) return this.#finish(failed)
    const reconnect = () => {
      if (this.#link.state === 'reconnecting') this.#link.askAgain()
    }
    this.#watch = events.watch(this.guildId, {
      changed: () => this.#refresh(),
      channelGone: channelId => this.#channelGone(channelId),
      begunAnew: () => this.#link.askAgain(),
      guildBack: reconnect,
      resumed: reconnect,
      guildGone: () => void this.#finish({ kind: 'refused', code: 'guild-gone' }),
    })
    this.#updateMembers()
    await withTimeout(clock, NOTICE_MS, this.#announce())
    if (this.#finishing) return this.#finishing
    this.#begun = true
    this.#refresh()
    if (this.#paused) this.#postPaused(this.#view.nameOf(this.#request.startedBy))
    else this.#welcome.say(this.#members)
    this.#ticker = new Ticker(clock, CHECK_MS, () => this.#check())
    if (!this.#paused) void this.#indicator.on()
    log.info(
      { guildId: this.guildId, channelId: this.channelId, people: this.#members.length },
      'interpreting',
    )
    return undefined
  }

  status(): ChannelStatus {
    const { state, encrypted } = this.#link
    const working = this.#paused ? 'paused' : 'listening'
    return {
      guildId: this.guildId,
      channelId: this.channelId,
      textChannelId: this.#chat.channelId,
      room: this.#room.name,
      sinceMs: this.#services.clock.now() - this.startedAt,
      state: state === 'ready' ? working : state === 'joining' ? 'joining' : 'reconnecting',
      encrypted,
      output: this.#output,
      spoken: this.#room.spoken,
      written: this.#room.choice.written,
      captions: this.#chat.settings,
      speakers: this.#members.map(({ userId, language, languageFrom, consents, excludedBy }) => ({
        ...{ userId, language, languageFrom, consents, excludedBy },
      })),
      unavailable: this.#room.unavailable,
    }
  }

  setLanguage(userId: string, language: LanguageId): void {
    this.#people.setLanguage(userId, languageId(language))
    this.#refresh()
  }

  setOutput(output: OutputLanguages): void {
    this.#output = outputLanguages(output)
    this.#refresh()
  }

  async setCaptions(settings: CaptionSettings): Promise<void> {
    await this.#setChat(settings)
    this.#refresh()
    if (settings.thread && this.#chat.writesTo === this.#chat.channelId)
      throw new BridgeError('STATE', 'the captions thread could not be created')
  }

  optOut(userId: string): void {
    this.#setConsent(userId, false)
  }

  optIn(userId: string): void {
    this.#setConsent(userId, true)
  }

  pause(by: string): boolean {
    if (this.#paused || this.#finishing) return false
    this.#paused = true
    this.#refresh()
    void this.#indicator.off()
    if (this.#begun) this.#postPaused(by)
    this.#services.observer.paused?.(this, true)
    return true
  }

  resume(): boolean {
    if (!this.#paused || this.#finishing) return false
    this.#paused = false
    this.#refresh()
    if (this.#begun) {
      void this.#indicator.on()
      this.#welcome.say(this.#members)
    }
    const channel = this.#mention
    void this.#pauseNotice?.then(amend => amend?.(words => words.resumed(channel)))
    this.#pauseNotice = undefined
    this.#services.observer.paused?.(this, false)
    return true
  }

  languageOf(userId: string): LanguageId {
    return this.#people.languageOf(userId)
  }

  mayShow(participant: string): boolean {
    const userId = userOf(participant)
    return userId === undefined || !this.#people.refuses(userId)
  }

  forget(userId: string): void {
    this.#people.forget(userId)
    this.#refresh()
  }

  dial(to: string, language: LanguageId): ReturnType<ChannelInterpreter['dial']> {
    return this.#phones.dial(to, languageId(language), catalogFor(this.#fallback).discord.channel.telephone)
  }

  async invite(): Promise<{ readonly code: string; readonly minutes: number }> {
    const { roomCodes } = this.#services
    if (!roomCodes) throw new BridgeError('CAPACITY', 'room codes are not configured')
    return { code: await roomCodes.issue(this.#room.name, CODE_MINUTES * 60_000), minutes: CODE_MINUTES }
  }

  stop(by: string): Promise<ChannelEnd> {
    return this.#finish({ kind: 'stopped', by })
  }

  /** The process is shutting down. Idempotent. */
  close(): Promise<ChannelEnd> {
    return this.#finish({ kind: 'parent-closed' })
  }

  /** The current channel as a mention. */
  get #mention(): string {
    return `<#${this.channelId}>`
  }

  #setConsent(userId: string, consents: boolean): void {
    this.#people.setConsent(userId, consents)
    this.#refresh()
    this.#services.observer.consent?.(this, userId, consents)
  }

  #setChat(settings: CaptionSettings): Promise<void> {
    const [language = 'en-us'] = this.#notices.languages
    return this.#chat.set(settings, catalogFor(language).discord.channel.thread)
  }

  /** Moves captions and notices to another chat. */
  #moveChat(channelId: string): void {
    this.#chat.moveTo(channelId)
    this.#notices.moveTo(new DiscordChat(this.#services, channelId))
  }

  /** Opens the captions' chat and posts the notice of listening there. */
  async #announce(): Promise<void> {
    await this.#setChat(this.#request.captions)
    await this.#welcome.write(this.#members)
  }

  #postPaused(by: string): void {
    const channel = this.#mention
    const [language = 'en-us'] = this.#notices.languages
    this.#pauseNotice = this.#notices.tell(words => words.paused(by, channel), [resumeButton(language)])
  }

  #updateMembers(): void {
    this.#members = this.#people.in(this.channelId)
    const languages = languagesOf(this.#members)
    this.#notices.languages = languages.length > 0 ? languages : [this.#fallback]
  }

  /** Adapts everything to the current members. A no-op before listening is allowed, and at the end. Never throws. */
  #refresh(): void {
    if (!this.#begun || this.#finishing) return
    try {
      this.#updateMembers()
      this.#fit()
    } catch (error) {
      this.#services.log.error({ guildId: this.guildId, error: String(error) }, 'channel update failed')
    }
  }

  #fit(): void {
    const [room, paused, members] = [this.#room, this.#paused, this.#members]
    const { captions, settings } = this.#chat
    const silenced = paused ? room.speakers.silenceEveryone() : room.speakers.silenceAll(members)
    for (const participant of silenced) captions.silence(participant)
    room.fit({ members, output: this.#output, captions: settings.style !== 'off', paused })
    captions.show(room.choice.written)
    this.#leaveIfEmpty()
    // While paused, no one is listened to: newcomers are notified when it continues.
    if (!paused) this.#welcome.see(members)
    this.#problems.check(this.channelId)
  }

  #leaveIfEmpty(): void {
    const { clock, options } = this.#services
    if (this.#members.length === 0)
      this.#emptyTimer ??= setTimer(clock, options.emptyAfterMs, () => void this.#finish({ kind: 'empty' }))
    else {
      this.#emptyTimer?.[Symbol.dispose]()
      this.#emptyTimer = undefined
    }
  }

  /** Checks for changes without an event. */
  #check(): void {
    const now = this.#services.clock.now()
    this.#outage.update(this.#room.untranslated, now)
    const { hinders: hindered } = this.#problems
    this.#phones.update({ lost: this.#link.state !== 'ready', hindered }, now)
    this.#reloadRoles()
    const missed =
      this.#checks++ % MISSED_CHECKS === 0 && !this.#paused && !this.#room.speakers.complete(this.#members)
    if (missed || this.#people.outdated(this.#members)) this.#refresh()
  }

  /** Discord does not report changed roles: one member after the other is checked. */
  #reloadRoles(): void {
    const { terms } = this.#services
    if (terms.consent.mode !== 'role' || this.#checks % ROLE_CHECKS !== 0) return
    const member = this.#members[(this.#checks / ROLE_CHECKS) % this.#members.length]
    if (member) void this.#view.reload(member.userId)
  }

  /** The bot was moved to another channel. Captions in the chat of a voice channel move with it. */
  #moved(): void {
    if (!this.#begun || this.#finishing) return
    const { channelId, textChannelId } = this.#request
    if (textChannelId === channelId || !this.#view.has(this.#chat.channelId)) this.#moveChat(this.channelId)
    this.#updateMembers()
    void this.#welcome.write(this.#members)
    this.#refresh()
    this.#welcome.say(this.#members, { moved: true })
  }

  #channelGone(channelId: string): void {
    if (channelId === this.channelId) void this.#finish({ kind: 'refused', code: 'channel-gone' })
    else if (channelId === this.#chat.channelId || channelId === this.#chat.writesTo) {
      this.#moveChat(this.channelId)
      void this.#welcome.write(this.#members)
    }
  }

  #finish(end: ChannelEnd): Promise<ChannelEnd> {
    this.#finishing ??= this.#end(end)
    return this.#finishing
  }

  async #end(because: ChannelEnd): Promise<ChannelEnd> {
    for (const each of [this.#watch, this.#ticker, this.#emptyTimer, this.#welcome, this.#phones])
      each?.[Symbol.dispose]()
    const channel = this.#mention
    void this.#pauseNotice?.then(amend => amend?.(words => words.ended(channel)))
    await this.#farewell(because)
    await this.#link.leave(because)
    const end = this.#view.endOf(because, this.channelId)
    const { dropped: captionsDropped, echoes } = this.#chat.captions
    this.#services.log.info(
      { guildId: this.guildId, channelId: this.channelId, end: end.kind, captionsDropped, echoes },
      'interpreting ended',
    )
    this.#settle(end)
    return end
  }

  /** Stops listening immediately, then says goodbye to everyone who can still hear or read it, within a bounded time. */
  async #farewell(end: ChannelEnd): Promise<void> {
    const { clock, options } = this.#services
    const { farewellMs } = options
    await this.#room.speakers.close({ kind: 'hangup', by: 'local' })
    const audible = this.#begun && (end.kind === 'stopped' || end.kind === 'parent-closed')
    await Promise.all([
      this.#welcome.farewell(audible ? this.#members : [], farewellMs),
      withTimeout(clock, LAST_REQUESTS_MS, this.#closeChat(end)),
      withTimeout(clock, LAST_REQUESTS_MS, this.#indicator.off()),
      withTimeout(clock, farewellMs, this.#phones.leave()),
    ])
    await withTimeout(clock, farewellMs, this.#phones.hangUp())
    await this.#room.close({ kind: 'hangup', by: 'local' })
  }

  /** Writes the last captions, marks the listening as ended and, if it had begun, posts the reason. */
  async #closeChat(end: ChannelEnd): Promise<void> {
    const channel = this.#mention
    const reason = this.#begun ? endNotice(end) : undefined
    await Promise.all([
      this.#chat.close(),
      this.#notices.ended(words => words.ended(channel)),
      reason && this.#notices.tell(reason),
    ])
  }
}

/** discord.js clears the token of a destroyed client. */
function isDestroyed({ token }: Client): boolean {
  return token === null
}
