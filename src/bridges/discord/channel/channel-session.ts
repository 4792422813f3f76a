import { Ticker, withTimeout } from '../../../common/clock.ts'
import { BridgeError } from '../../../common/errors.ts'
import { type LanguageId, languageId } from '../../../common/language.ts'
import { channelMessagesFor } from '../../../messages/discord/discord.ts'
import {
  type CaptionSettings,
  type ChannelEnd,
  type ChannelInterpreter,
  type ChannelStatus,
  type OutputLanguages,
  outputLanguages,
  type RunningChannel,
  type StartRequest,
} from '../channel-interpreter.ts'
import { CHANNEL_DEFAULTS } from '../options.ts'
import { type SessionOptions, sessionOptions } from './channel-components.ts'
import type { ChannelResources } from './channel-context.ts'
import { farewell, statusOf } from './channel-status.ts'
import type { ChatOutput } from './chat-output.ts'
import type { GuildEvents } from './guild-events.ts'
import type { ChannelMember } from './guild-view.ts'
import { userOf } from './speakers.ts'
import { languagesOf } from './welcome.ts'

/** Maximum wait for the notice at the start (ms). Listening starts only after it is posted. */
const NOTICE_MS = 3_000
/** Interval of the checks for changes without an event (ms). */
const LOOK_MS = 1_000
/** Checks between attempts to listen again to speakers whose leg failed or was rejected. */
const MISSED_LOOKS = 5
/** Checks between requests for the roles of a member. */
const ROLE_LOOKS = 2

/** One interpreted voice channel, from joining to leaving. The creator awaits `ended`. */
export class ChannelSession implements ChannelInterpreter {
  readonly guildId: string
  readonly ended: Promise<ChannelEnd>
  readonly #options: ChannelResources
  readonly #request: StartRequest
  readonly #since: number
  readonly #events: GuildEvents
  readonly #its: SessionOptions
  readonly #settle: (end: ChannelEnd) => void
  #members: readonly ChannelMember[] = []
  #output: OutputLanguages
  #watch: Disposable | undefined
  #looks: Ticker | undefined
  #looked = 0
  /** The notice is posted, so listening is allowed. */
  #begun = false
  #paused: boolean
  /** The notice that interpreting is paused. */
  #pauseNotice: ReturnType<ChatOutput['tell']> | undefined
  #finishing: Promise<ChannelEnd> | undefined

  /**
   * `id` is unique in this process; `room` is the room of its participants. Throws `RangeError` if the bot is not in
   * the guild.
   */
  constructor(
    options: ChannelResources,
    request: StartRequest,
    { events, id, room }: { readonly events: GuildEvents; readonly id: string; readonly room: string },
  ) {
    this.guildId = request.guildId
    this.#events = events
    this.#options = options
    this.#request = request
    this.#output = request.output
    this.#paused = request.paused ?? false
    this.#since = options.clock.now()
    const { promise, resolve } = Promise.withResolvers<ChannelEnd>()
    this.ended = promise
    this.#settle = resolve
    const named = { id, room }
    this.#its = sessionOptions(options, request, named, {
      changed: () => this.#refresh(),
      moved: () => this.#moved(),
      over: end => void this.#finish(end),
      members: () => this.#members,
    })
  }

  get channelId(): string {
    return this.#its.link.channelId
  }

  /** The settings to start it again unchanged. */
  get running(): RunningChannel {
    const { writing } = this.#its
    const { guildId, channelId } = this
    const [textChannelId, captions] = [writing.channelId, writing.settings]
    const { voice } = this.#request
    const paused = this.#paused ? { paused: true } : {}
    return { guildId, channelId, textChannelId, captions, output: this.#output, voice, ...paused }
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
    const { link, welcome, indicator, writing, others, view } = this.#its
    const { clock, log } = this.#options
    writing.captions.start()
    others.start()
    const failed = await link.join()
    if (failed) return this.#finish(failed)
    const reconnect = () => {
      if (link.state === 'reconnecting') link.askAgain()
    }
    this.#watch = this.#events.watch(this.guildId, {
      changed: () => this.#refresh(),
      channelGone: (channelId: string) => this.#channelGone(channelId),
      begunAnew: () => link.askAgain(),
      guildBack: reconnect,
      resumed: reconnect,
      guildGone: () => void this.#finish({ kind: 'refused', code: 'guild-gone' }),
    })
    this.#see()
    await withTimeout(clock, NOTICE_MS, this.#announce())
    if (this.#finishing) return this.#finishing
    this.#begun = true
    this.#refresh()
    if (this.#paused) this.#tellPaused(view.nameOf(this.#request.startedBy))
    else welcome.say(this.#members)
    this.#looks = new Ticker(clock, LOOK_MS, () => this.#look())
    if (!this.#paused) void indicator?.on()
    log.info(
      { guildId: this.guildId, channelId: this.channelId, people: this.#members.length },
      'interpreting',
    )
    return undefined
  }

  status(): ChannelStatus {
    return statusOf(this.guildId, this.#its, this.#members, {
      ...{ sinceMs: this.#since, output: this.#output, paused: this.#paused },
    })
  }

  setLanguage(userId: string, language: LanguageId): void {
    this.#its.people.setLanguage(userId, languageId(language))
    this.#refresh()
  }

  setOutput(output: OutputLanguages): void {
    this.#output = outputLanguages(output)
    this.#refresh()
  }

  async setCaptions(settings: CaptionSettings): Promise<void> {
    const { writing } = this.#its
    await writing.set(settings)
    this.#refresh()
    if (settings.thread && writing.writesTo === writing.channelId)
      throw new BridgeError('STATE', 'the captions thread could not be created')
  }

  optOut(userId: string): void {
    this.#its.people.setConsent(userId, false)
    this.#refresh()
    this.#options.observer?.consent?.(this, userId, false)
  }

  optIn(userId: string): void {
    this.#its.people.setConsent(userId, true)
    this.#refresh()
    this.#options.observer?.consent?.(this, userId, true)
  }

  pause(by: string): boolean {
    if (this.#paused || this.#finishing) return false
    this.#paused = true
    this.#refresh()
    void this.#its.indicator?.off()
    if (this.#begun) this.#tellPaused(by)
    this.#options.observer?.paused?.(this, true)
    return true
  }

  resume(): boolean {
    if (!this.#paused || this.#finishing) return false
    this.#paused = false
    this.#refresh()
    const { indicator, welcome, mention } = this.#its
    if (this.#begun) {
      void indicator?.on()
      welcome.say(this.#members)
    }
    void this.#pauseNotice?.then(amend => amend?.(words => words.resumed(mention())))
    this.#pauseNotice = undefined
    this.#options.observer?.paused?.(this, false)
    return true
  }

  languageOf(userId: string): LanguageId {
    return this.#its.people.languageOf(userId)
  }

  get startedAt(): number {
    return this.#since
  }

  mayShow(participant: string): boolean {
    const userId = userOf(participant)
    return userId === undefined || !this.#its.people.refuses(userId)
  }

  forget(userId: string): void {
    this.#its.people.forget(userId)
    this.#refresh()
  }

  dial(to: string, language: LanguageId): ReturnType<ChannelInterpreter['dial']> {
    const { others, fallback } = this.#its
    return others.dial(to, languageId(language), channelMessagesFor(fallback).telephone)
  }

  async invite(): Promise<{ readonly code: string; readonly minutes: number }> {
    const { roomCodes, channelOptions: { codeMinutes: minutes = CHANNEL_DEFAULTS.codeMinutes } = {} } =
      this.#options
    if (!roomCodes) throw new BridgeError('CAPACITY', 'room codes are not configured')
    return { code: await roomCodes.issue(this.#its.room.name, minutes * 60_000), minutes }
  }

  stop(by: string): Promise<ChannelEnd> {
    return this.#finish({ kind: 'stopped', by })
  }

  /** The process is shutting down. Idempotent. */
  close(): Promise<ChannelEnd> {
    return this.#finish({ kind: 'parent-closed' })
  }

  /** Updates the member list. */
  #see(): void {
    const { people, writing, fallback } = this.#its
    this.#members = people.in(this.channelId)
    const languages = languagesOf(this.#members)
    writing.languages = languages.length > 0 ? languages : [fallback]
  }

  /** Adapts everything to the current members. A no-op before listening is allowed, and at the end. Never throws. */
  #refresh(): void {
    if (!this.#begun || this.#finishing) return
    try {
      this.#see()
      this.#fit()
    } catch (error) {
      this.#options.log.error({ guildId: this.guildId, error: String(error) }, 'channel update failed')
    }
  }

  #fit(): void {
    const { room, writing, occupancy, welcome, troubles } = this.#its
    const paused = this.#paused
    const silenced = paused ? room.speakers.silenceEveryone() : room.speakers.silenceAll(this.#members)
    for (const party of silenced) writing.captions.silence(party)
    const captions = writing.settings.style !== 'off'
    room.fit({ members: this.#members, output: this.#output, captions, paused })
    writing.captions.show(room.choice.written)
    occupancy.count(this.#members.length)
    // While paused, no one is listened to: newcomers are notified when it continues.
    if (!paused) welcome.see(this.#members)
    troubles.look(this.channelId)
  }

  #look(): void {
    const { people, room, outage, news, link, troubles } = this.#its
    const now = this.#options.clock.now()
    outage.look(room.untranslated, now)
    news.look({ lost: link.state !== 'ready', hindered: troubles.hinders }, now)
    this.#reloadRoles()
    const missed =
      this.#looked++ % MISSED_LOOKS === 0 && !this.#paused && !room.speakers.complete(this.#members)
    if (missed || people.outdated(this.#members)) this.#refresh()
  }

  /** Discord does not report changed roles: one member after the other is checked. */
  #reloadRoles(): void {
    const { terms } = this.#options
    if (terms.consent.mode !== 'role' || this.#looked % ROLE_LOOKS !== 0) return
    const member = this.#members[(this.#looked / ROLE_LOOKS) % this.#members.length]
    if (member) void this.#its.view.reload(member.userId)
  }

  #tellPaused(by: string): void {
    const { writing, mention } = this.#its
    this.#pauseNotice = writing.tellPaused(words => words.paused(by, mention()))
  }

  /** Opens the captions' chat and posts the notice of listening there. */
  async #announce(): Promise<void> {
    const { writing, welcome } = this.#its
    await writing.set(this.#request.captions)
    await welcome.write(this.#members)
  }

  /** Captions in the chat of a voice channel move with it. */
  #moved(): void {
    if (!this.#begun || this.#finishing) return
    const { writing, view, welcome } = this.#its
    const { channelId, textChannelId } = this.#request
    if (textChannelId === channelId || !view.has(writing.channelId)) writing.moveTo(this.channelId)
    this.#see()
    void welcome.write(this.#members)
    this.#refresh()
    welcome.say(this.#members, { moved: true })
  }

  #channelGone(channelId: string): void {
    const { writing, welcome } = this.#its
    if (channelId === this.channelId) void this.#finish({ kind: 'refused', code: 'channel-gone' })
    else if (channelId === writing.channelId || channelId === writing.writesTo) {
      writing.moveTo(this.channelId)
      void welcome.write(this.#members)
    }
  }

  #finish(end: ChannelEnd): Promise<ChannelEnd> {
    this.#finishing ??= this.#end(end)
    return this.#finishing
  }

  async #end(because: ChannelEnd): Promise<ChannelEnd> {
    const { clock, log, channelOptions } = this.#options
    const { occupancy, welcome, others, link, writing, view, mention } = this.#its
    for (const each of [this.#watch, this.#looks, occupancy, welcome, others]) each?.[Symbol.dispose]()
    const farewellOptions = {
      end: because,
      members: this.#members,
      begun: this.#begun,
      farewellMs: channelOptions?.farewellMs,
    }
    void this.#pauseNotice?.then(amend => amend?.(words => words.ended(mention())))
    await farewell(this.#its, farewellOptions, clock)
    await link.leave(because)
    const end = view.endOf(because, this.channelId)
    const { dropped, echoes } = writing.captions
    const about = { guildId: this.guildId, channelId: this.channelId, end: end.kind }
    log.info({ ...about, captionsDropped: dropped, echoes }, 'interpreting ended')
    this.#settle(end)
    return end
  }
}
