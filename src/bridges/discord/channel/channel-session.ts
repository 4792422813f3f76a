import { type Clock, Ticker, withTimeout } from '../../../common/clock.ts'
import { BridgeError } from '../../../common/errors.ts'
import type { LanguageId } from '../../../common/language.ts'
import { channelMessagesFor } from '../../../messages/discord/discord.ts'
import type {
  CaptionSettings,
  ChannelEnd,
  ChannelInterpreter,
  ChannelStatus,
  OutputLanguages,
  RunningChannel,
  StartRequest,
} from '../channel-interpreter.ts'
import { CHANNEL_DEFAULTS } from '../options.ts'
import { type SessionOptions, sessionOptions } from './channel-components.ts'
import type { ChannelResources } from './channel-context.ts'
import type { GuildEvents } from './guild-events.ts'
import type { ChannelMember } from './guild-view.ts'
import { languagesOf } from './welcome.ts'

/** Returns the current status of a channel, collected from its parts. */
export function statusOf(
  guildId: string,
  { link, room, writing }: Pick<SessionOptions, 'link' | 'room' | 'writing'>,
  members: readonly ChannelMember[],
  more: { readonly sinceMs: number; readonly output: OutputLanguages },
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
    unavailable: room.unavailable,
  }
}

/** Time limit for the last requests to Discord (ms). */
const LAST_WRITING_MS = 4_000

export interface FarewellOptions {
  readonly end: ChannelEnd
  readonly members: readonly ChannelMember[]
  /** False: interpreting never started, so the end is not announced. */
  readonly begun: boolean
  /** Time limit for the spoken goodbye (ms). Default 4 000. */
  readonly farewellMs?: number | undefined
}

/** Stops listening immediately, then says goodbye to everyone who can still hear or read it, within a bounded time. */
export async function farewell(
  { room, welcome, writing, others, indicator, mention }: SessionOptions,
  { end, members, begun, farewellMs = CHANNEL_DEFAULTS.farewellMs }: FarewellOptions,
  clock: Clock,
): Promise<void> {
  await room.speakers.close({ kind: 'hangup', by: 'local' })
  const heard = begun && (end.kind === 'stopped' || end.kind === 'parent-closed')
  await Promise.all([
    welcome.farewell(heard ? members : [], farewellMs),
    withTimeout(clock, LAST_WRITING_MS, writing.end(end, mention(), begun)),
    withTimeout(clock, LAST_WRITING_MS, indicator?.off()),
    withTimeout(clock, farewellMs, others.leave()),
  ])
  await withTimeout(clock, farewellMs, others.hangUp())
  await room.close({ kind: 'hangup', by: 'local' })
}

/** Maximum wait for the notice at the start (ms). Listening starts only after it is posted. */
const NOTICE_MS = 3_000
/** Interval of the checks for changes without an event (ms). */
const LOOK_MS = 1_000
/** Checks between attempts to listen again to speakers whose leg failed or was rejected. */
const MISSED_LOOKS = 5

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
    return { guildId, channelId, textChannelId, captions, output: this.#output, voice: this.#request.voice }
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
    const { link, welcome, indicator, writing, others } = this.#its
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
    welcome.say(this.#members)
    this.#looks = new Ticker(clock, LOOK_MS, () => this.#look())
    void indicator?.on()
    log.info(
      { guildId: this.guildId, channelId: this.channelId, people: this.#members.length },
      'interpreting',
    )
    return undefined
  }

  status(): ChannelStatus {
    return statusOf(this.guildId, this.#its, this.#members, { sinceMs: this.#since, output: this.#output })
  }

  setLanguage(userId: string, language: LanguageId): void {
    this.#its.people.setLanguage(userId, language)
    this.#refresh()
  }

  setOutput(output: OutputLanguages): void {
    this.#output = output
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
  }

  optIn(userId: string): void {
    this.#its.people.setConsent(userId, true)
    this.#refresh()
  }

  forget(userId: string): void {
    this.#its.people.forget(userId)
    this.#refresh()
  }

  dial(to: string, language: LanguageId): ReturnType<ChannelInterpreter['dial']> {
    const { others, fallback } = this.#its
    return others.dial(to, language, channelMessagesFor(fallback).telephone)
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
    for (const party of room.speakers.silenceAll(this.#members)) writing.captions.silence(party)
    const captions = writing.settings.style !== 'off'
    room.fit({ members: this.#members, output: this.#output, captions })
    writing.captions.show(room.choice.written)
    occupancy.count(this.#members.length)
    welcome.see(this.#members)
    troubles.look(this.channelId)
  }

  #look(): void {
    const { people, room, outage, news, link, troubles } = this.#its
    const now = this.#options.clock.now()
    outage.look(room.unavailable, now)
    news.look({ lost: link.state !== 'ready', hindered: troubles.hinders }, now)
    const missed = this.#looked++ % MISSED_LOOKS === 0 && !room.speakers.complete(this.#members)
    if (missed || people.outdated(this.#members)) this.#refresh()
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
    const { occupancy, welcome, others, link, writing, view } = this.#its
    for (const each of [this.#watch, this.#looks, occupancy, welcome, others]) each?.[Symbol.dispose]()
    const farewellOptions = {
      end: because,
      members: this.#members,
      begun: this.#begun,
      farewellMs: channelOptions?.farewellMs,
    }
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
