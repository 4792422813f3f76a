import { after } from '../../../core/clock.ts'
import { BridgeError } from '../../../core/errors.ts'
import type { LanguageId } from '../../../core/languages.ts'
import { escaped } from '../captions/escape.ts'
import type {
  CaptionSettings,
  ChannelEnd,
  ChannelInterpreter,
  ChannelOutput,
  ChannelStatus,
  StartRequest,
} from '../channel-interpreter.ts'
import { VoiceLink, type VoiceLinkState } from '../voice/voice-link.ts'
import { BotTroubles } from './bot-troubles.ts'
import type { ChannelParts } from './channel-parts.ts'
import { ChannelRoom } from './channel-room.ts'
import { channelWords } from './channel-words.ts'
import { DialledCalls } from './dialled-calls.ts'
import { Greetings, languagesOf } from './greetings.ts'
import { GuildView } from './guild-view.ts'
import { GuildWatch } from './guild-watch.ts'
import { Indicator } from './indicator.ts'
import type { ChannelMember } from './member.ts'
import { Occupancy } from './occupancy.ts'
import { People } from './people.ts'
import { VoiceNotices } from './voice-notices.ts'
import { within } from './within.ts'
import { Writing } from './writing.ts'

const EMPTY_AFTER_MS = 60_000
const FAREWELL_MS = 4_000
const CODE_MINUTES = 30
/** Discord may take so long for what is written at the end (ms). */
const LAST_WRITING_MS = 4_000
/** Between two looks at what nobody tells of (ms). */
const LOOK_MS = 1_000

/** One voice channel being interpreted, from joining it to leaving it. Whoever starts it waits for `ended`. */
export class ChannelSession implements ChannelInterpreter {
  readonly guildId: string
  readonly ended: Promise<ChannelEnd>
  readonly #parts: ChannelParts
  readonly #request: StartRequest
  readonly #since: number
  readonly #fallback: LanguageId
  readonly #view: GuildView
  readonly #people: People
  readonly #link: VoiceLink
  readonly #room: ChannelRoom
  readonly #writing: Writing
  readonly #notices: VoiceNotices
  readonly #greetings: Greetings
  readonly #troubles: BotTroubles
  readonly #occupancy: Occupancy
  readonly #indicator: Indicator | undefined
  readonly #calls: DialledCalls
  readonly #watches: Disposable[] = []
  readonly #settle: (end: ChannelEnd) => void
  #members: readonly ChannelMember[] = []
  #output: ChannelOutput
  /** Somebody may be listened to. */
  #begun = false
  #look: Disposable | undefined
  #finishing: Promise<ChannelEnd> | undefined

  /** `id` is unique in this process; `room` is where its parties go. */
  constructor(parts: ChannelParts, request: StartRequest, id: string, room: string) {
    const { client, relay, clock, log, announcer, preferences, dialler, options = {} } = parts
    const { localeOf = () => undefined, nearest = (language: LanguageId) => language } = parts
    const { guildId, channelId } = request
    const guild = client.guilds.cache.get(guildId)
    if (!guild) throw new RangeError(`the bot is in no guild ${guildId}`)
    this.guildId = guildId
    this.#parts = parts
    this.#request = request
    this.#output = request.output
    this.#since = clock.now()
    const { promise, resolve } = Promise.withResolvers<ChannelEnd>()
    this.ended = promise
    this.#settle = resolve
    this.#view = new GuildView(client, guildId, () => this.#refresh())
    this.#fallback = options.language ?? nearest(this.#view.language)
    this.#people = new People({
      view: this.#view,
      preferences,
      localeOf,
      nearest,
      fallback: this.#fallback,
    })
    this.#link = new VoiceLink({
      guildId,
      channelId,
      adapterCreator: guild.voiceAdapterCreator,
      group: client.user?.id ?? 'default',
      dave: options.dave ?? true,
      clock,
      log,
      counters: parts.counters,
      watcher: {
        state: state => this.#linkBecame(state),
        moved: () => this.#moved(),
        deaf: () => this.#troubles.once('no audio', words => words.noAudio),
      },
    })
    this.#room = new ChannelRoom(parts, {
      id,
      guildId,
      room,
      link: this.#link,
      voice: request.voice,
      fallback: this.#fallback,
      onFull: () => this.#troubles.once('full', words => words.full),
      onLost: () => this.#refresh(),
    })
    this.#writing = new Writing({
      client,
      observer: relay.observer,
      room,
      textChannelId: request.textChannelId,
      settings: request.captions,
      clock,
      log,
      isEar: participant => this.#room.ears.has(participant),
      onEcho: participant => this.#echo(participant),
    })
    this.#notices = new VoiceNotices(announcer, clock, language => this.#room.ear(language))
    this.#greetings = new Greetings(clock, newcomers => this.#greet(newcomers))
    this.#troubles = new BotTroubles({
      view: this.#view,
      voice: request.voice,
      tell: notice => void this.#writing.tell(notice),
      forbidden: () => void this.#finish({ kind: 'refused', code: 'permissions' }),
    })
    this.#occupancy = new Occupancy(clock, options.emptyAfterMs ?? EMPTY_AFTER_MS, () => {
      void this.#finish({ kind: 'empty' })
    })
    this.#indicator = (options.indicator ?? true) ? new Indicator(client, guildId, log) : undefined
    this.#calls = new DialledCalls(dialler, room)
    void this.#link.ended.then(end => this.#finish(end))
  }

  get channelId(): string {
    return this.#link.channelId
  }

  /** Joins the voice channel; settles when it is being interpreted, or with why it never will be. */
  async join(): Promise<ChannelEnd | undefined> {
    const failed = await this.#link.join()
    if (failed) return this.#finish(failed)
    if (this.#finishing) return this.#finishing
    const { client, log, relay } = this.#parts
    this.#watches.push(
      new GuildWatch(
        client,
        this.guildId,
        {
          changed: () => this.#refresh(),
          channelGone: channelId => this.#channelGone(channelId),
          guildGone: () => void this.#finish({ kind: 'refused', code: 'guild-gone' }),
        },
        log,
      ),
      relay.observer.on('admitted', ({ room, participant }) => this.#admitted(room, participant)),
    )
    this.#begun = true
    this.#look = after(this.#parts.clock, LOOK_MS, this.#lookAgain)
    this.#refresh()
    await this.#writing.set(this.#request.captions)
    this.#begin()
    void this.#indicator?.on()
    log.info(
      { guildId: this.guildId, channelId: this.channelId, people: this.#members.length },
      'interpreting',
    )
    return undefined
  }

  status(): ChannelStatus {
    const { captions, written } = { captions: this.#writing.settings, written: this.#room.choice.written }
    const { state } = this.#link
    return {
      guildId: this.guildId,
      channelId: this.channelId,
      textChannelId: this.#writing.channelId,
      room: this.#room.name,
      sinceMs: this.#since,
      state: state === 'ready' ? 'listening' : state === 'joining' ? 'joining' : 'reconnecting',
      encrypted: this.#link.encrypted,
      output: this.#output,
      spoken: this.#room.spoken,
      written,
      captions,
      speakers: this.#members.map(({ userId, language, languageFrom, consents }) => ({
        userId,
        language,
        languageFrom,
        consents,
      })),
      away: this.#room.away,
    }
  }

  setLanguage(userId: string, language: LanguageId): void {
    this.#people.setLanguage(userId, language)
    this.#refresh()
  }

  setOutput(output: ChannelOutput): void {
    this.#output = output
    this.#refresh()
  }

  async setCaptions(settings: CaptionSettings): Promise<void> {
    await this.#writing.set(settings)
    this.#refresh()
    if (settings.thread && this.#writing.writesTo === this.#writing.channelId)
      throw new BridgeError('STATE', 'a thread for captions could not be opened')
  }

  optOut(userId: string): void {
    this.#people.setConsent(userId, false)
    const party = this.#room.speakers.silence(userId)
    if (party !== undefined) this.#writing.captions.silence(party)
    this.#refresh()
  }

  optIn(userId: string): void {
    this.#people.setConsent(userId, true)
    this.#refresh()
  }

  dial(to: string, language: LanguageId) {
    return this.#calls.dial(to, language, channelWords(this.#fallback).telephone)
  }

  invite(): { readonly code: string; readonly minutes: number } {
    const { roomCodes, options: { codeMinutes: minutes = CODE_MINUTES } = {} } = this.#parts
    if (!roomCodes) throw new BridgeError('CAPACITY', 'there are no codes of rooms here')
    return { code: roomCodes.issue(this.#room.name, minutes * 60_000), minutes }
  }

  stop(by: string): Promise<ChannelEnd> {
    return this.#finish({ kind: 'stopped', by })
  }

  /** This process is closing. Idempotent. */
  close(): Promise<ChannelEnd> {
    return this.#finish({ kind: 'parent-closed' })
  }

  /** Makes everything as people are now. Does nothing before the channel was joined, and after it was left. */
  #refresh(): void {
    if (!this.#begun || this.#finishing) return
    this.#members = this.#people.in(this.channelId)
    this.#room.fit({
      members: this.#members,
      output: this.#output,
      captions: this.#writing.settings.style !== 'off',
    })
    const { written } = this.#room.choice
    this.#writing.captions.show(written)
    const spoken = languagesOf(this.#members)
    this.#writing.languages = spoken.length > 0 ? spoken : [this.#fallback]
    this.#occupancy.count(this.#members.length)
    this.#greetings.see(this.#members)
    this.#troubles.look(this.channelId)
  }

  readonly #lookAgain = (): void => {
    if (this.#people.outdated(this.#members)) this.#refresh()
    this.#look = after(this.#parts.clock, LOOK_MS, this.#lookAgain)
  }

  /** Tells everybody who is there that they are listened to. */
  #begin(): void {
    this.#greetings.greeted(this.#members)
    const by = this.#view.nameOf(this.#request.startedBy)
    void this.#writing.listening(words => words.listening(by, this.#mention))
    this.#notices.say('channel-interpreted', this.#spokenLanguages(this.#members))
  }

  #greet(newcomers: readonly ChannelMember[]): void {
    const names = newcomers.slice(0, 10).map(({ name }) => escaped(name))
    void this.#writing.listening(words => words.newcomers(names.join(', '), this.#mention))
    this.#notices.say('channel-interpreted', this.#spokenLanguages(newcomers))
  }

  #spokenLanguages(members: readonly ChannelMember[]): LanguageId[] {
    return languagesOf(members.filter(({ consents }) => consents)).slice(0, 3)
  }

  get #mention(): string {
    return `<#${this.channelId}>`
  }

  #echo(participant: string): void {
    const name = this.#parts.relay.find(participant)?.state.name
    if (name) this.#troubles.once(`echo ${participant}`, words => words.headphones(escaped(name)))
  }

  /** Somebody comes in by telephone, or another channel joins. */
  #admitted(room: string, participant: string): void {
    const place = this.#parts.relay.find(participant)?.invitation.place
    if (room !== this.#room.name || place !== undefined) return
    this.#notices.say('phone-joined', this.#spokenLanguages(this.#members))
  }

  #linkBecame(state: VoiceLinkState): void {
    // What was known while the connection was away may be out of date.
    if (state === 'ready') this.#refresh()
  }

  /** Captions in the chat of a voice channel go along to the next one. */
  #moved(): void {
    if (!this.#begun || this.#finishing) return
    if (this.#writing.channelId === this.#request.channelId || !this.#view.has(this.#writing.channelId))
      this.#writing.moveTo(this.channelId)
    this.#refresh()
    this.#begin()
  }

  #channelGone(channelId: string): void {
    if (channelId === this.channelId) void this.#finish({ kind: 'refused', code: 'channel-gone' })
    else if (channelId === this.#writing.channelId || channelId === this.#writing.writesTo)
      this.#writing.moveTo(this.channelId)
  }

  #finish(end: ChannelEnd): Promise<ChannelEnd> {
    this.#finishing ??= this.#end(end)
    return this.#finishing
  }

  async #end(end: ChannelEnd): Promise<ChannelEnd> {
    const { clock, log, options: { farewellMs = FAREWELL_MS } = {} } = this.#parts
    for (const each of [...this.#watches, this.#occupancy, this.#greetings, this.#look])
      each?.[Symbol.dispose]()
    const begun = this.#begun
    await this.#room.speakers.close({ kind: 'hangup', by: 'local' })
    const polite = end.kind === 'stopped' || end.kind === 'parent-closed'
    if (polite && begun) await this.#notices.farewell(this.#spokenLanguages(this.#members), farewellMs)
    this.#notices.close()
    await Promise.all([
      begun && within(clock, LAST_WRITING_MS, this.#writing.end(end, this.#mention)),
      this.#indicator && within(clock, LAST_WRITING_MS, this.#indicator.off()),
      within(clock, farewellMs, this.#leaveOthers()),
    ])
    await this.#room.close({ kind: 'hangup', by: 'local' })
    const left = await this.#link.leave(end)
    log.info({ guildId: this.guildId, channelId: this.channelId, end: left.kind }, 'interpreting ended')
    this.#settle(left)
    return left
  }

  /** Telephones are told that the channel is gone; those that were called from here are hung up. */
  async #leaveOthers(): Promise<void> {
    const { announcer } = this.#parts
    const told = this.#room.others.map(async party => {
      const { hears, speaks } = party.state
      await party.announce(await announcer.notice('other-left', hears ?? speaks ?? this.#fallback)).ended
    })
    await Promise.all(told)
    await this.#calls.hangUp()
  }
}
