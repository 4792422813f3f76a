import { after } from '../../../core/clock.ts'
import { BridgeError } from '../../../core/errors.ts'
import type { LanguageId } from '../../../core/languages.ts'
import type {
  CaptionSettings,
  ChannelEnd,
  ChannelInterpreter,
  ChannelOutput,
  ChannelStatus,
  StartRequest,
} from '../channel-interpreter.ts'
import type { VoiceLink } from '../voice/voice-link.ts'
import { BotTroubles } from './bot-troubles.ts'
import type { ChannelParts } from './channel-parts.ts'
import { ChannelRoom, placeOf } from './channel-room.ts'
import { statusOf } from './channel-status.ts'
import { channelWords } from './channel-words.ts'
import { languagesOf } from './greetings.ts'
import { GuildWatch } from './guild-watch.ts'
import { Indicator } from './indicator.ts'
import type { ChannelMember } from './member.ts'
import { Occupancy } from './occupancy.ts'
import { OtherParties } from './other-parties.ts'
import { linkTo, type Surroundings, surroundings } from './session-parts.ts'
import { Welcome } from './welcome.ts'
import { within } from './within.ts'
import { Writing } from './writing.ts'

const EMPTY_AFTER_MS = 60_000
const FAREWELL_MS = 4_000
const CODE_MINUTES = 30
/** Nobody is listened to before the notice is written, unless Discord takes longer than this (ms). */
const NOTICE_MS = 3_000
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
  readonly #around: Surroundings
  readonly #link: VoiceLink
  readonly #room: ChannelRoom
  readonly #writing: Writing
  readonly #welcome: Welcome
  readonly #troubles: BotTroubles
  readonly #occupancy: Occupancy
  readonly #others: OtherParties
  readonly #indicator: Indicator | undefined
  readonly #settle: (end: ChannelEnd) => void
  #members: readonly ChannelMember[] = []
  #output: ChannelOutput
  #watch: GuildWatch | undefined
  #look: Disposable | undefined
  /** People may be listened to. */
  #begun = false
  #finishing: Promise<ChannelEnd> | undefined

  /** `id` is unique in this process; `room` is where its parties go. */
  constructor(parts: ChannelParts, request: StartRequest, id: string, room: string) {
    const { client, relay, clock, log, announcer, dialler, options = {} } = parts
    const { guildId, textChannelId, voice, captions: settings } = request
    this.guildId = guildId
    this.#parts = parts
    this.#request = request
    this.#output = request.output
    this.#since = clock.now()
    const { promise, resolve } = Promise.withResolvers<ChannelEnd>()
    this.ended = promise
    this.#settle = resolve
    this.#around = surroundings(parts, guildId, () => this.#refresh())
    const { view, fallback } = this.#around
    this.#link = linkTo(parts, request, {
      state: state => state === 'ready' && this.#refresh(),
      moved: () => this.#moved(),
      deaf: () => this.#troubles.once('no audio', words => words.noAudio),
    })
    this.#room = new ChannelRoom(parts, {
      id,
      guildId,
      room,
      link: this.#link,
      voice,
      fallback,
      onFull: () => this.#troubles.once('full', words => words.full),
      onLost: () => this.#refresh(),
    })
    this.#writing = new Writing({
      client,
      observer: relay.observer,
      room,
      textChannelId,
      settings,
      clock,
      log,
      isEar: participant => this.#room.ears.has(participant),
      onEcho: (speaker, name) => this.#troubles.once(`echo ${speaker}`, words => words.headphones(name)),
    })
    this.#welcome = new Welcome({
      announcer,
      clock,
      writing: this.#writing,
      ear: language => this.#room.ear(language),
      startedBy: () => view.nameOf(request.startedBy),
      channel: () => this.#mention,
    })
    this.#troubles = new BotTroubles({
      view,
      voice,
      tell: notice => void this.#writing.tell(notice),
      forbidden: () => void this.#finish({ kind: 'refused', code: 'permissions' }),
    })
    this.#occupancy = new Occupancy(clock, options.emptyAfterMs ?? EMPTY_AFTER_MS, () => {
      void this.#finish({ kind: 'empty' })
    })
    this.#others = new OtherParties({
      relay,
      announcer,
      dialler,
      room,
      place: placeOf(guildId),
      fallback,
      joined: () => this.#welcome.phone(this.#members),
    })
    this.#indicator = (options.indicator ?? true) ? new Indicator(client, guildId, log) : undefined
    void this.#link.ended.then(end => this.#finish(end))
  }

  get channelId(): string {
    return this.#link.channelId
  }

  /** Joins the voice channel; settles when it is being interpreted, or with why it never will be. */
  async join(): Promise<ChannelEnd | undefined> {
    const failed = await this.#link.join()
    if (failed) return this.#finish(failed)
    const { client, clock, log } = this.#parts
    this.#watch = new GuildWatch(
      client,
      this.guildId,
      {
        changed: () => this.#refresh(),
        channelGone: channelId => this.#channelGone(channelId),
        begunAnew: () => this.#link.askAgain(),
        guildGone: () => void this.#finish({ kind: 'refused', code: 'guild-gone' }),
      },
      log,
    )
    this.#see()
    await within(clock, NOTICE_MS, this.#announce())
    if (this.#finishing) return this.#finishing
    this.#begun = true
    this.#refresh()
    this.#welcome.say(this.#members)
    this.#look = after(clock, LOOK_MS, this.#lookAgain)
    void this.#indicator?.on()
    log.info(
      { guildId: this.guildId, channelId: this.channelId, people: this.#members.length },
      'interpreting',
    )
    return undefined
  }

  status(): ChannelStatus {
    const more = { sinceMs: this.#parts.clock.now() - this.#since, output: this.#output }
    return statusOf(this.guildId, this.#link, this.#room, this.#writing, this.#members, more)
  }

  setLanguage(userId: string, language: LanguageId): void {
    this.#around.people.setLanguage(userId, language)
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
    this.#around.people.setConsent(userId, false)
    this.#refresh()
  }

  optIn(userId: string): void {
    this.#around.people.setConsent(userId, true)
    this.#refresh()
  }

  dial(to: string, language: LanguageId) {
    return this.#others.dial(to, language, channelWords(this.#around.fallback).telephone)
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

  /** Looks who is there. */
  #see(): void {
    this.#members = this.#around.people.in(this.channelId)
    const languages = languagesOf(this.#members)
    this.#writing.languages = languages.length > 0 ? languages : [this.#around.fallback]
  }

  /** Makes everything as people are now. Does nothing before they may be listened to, and at the end. */
  #refresh(): void {
    if (!this.#begun || this.#finishing) return
    this.#see()
    for (const party of this.#room.speakers.silenceAll(this.#members)) this.#writing.captions.silence(party)
    const captions = this.#writing.settings.style !== 'off'
    this.#room.fit({ members: this.#members, output: this.#output, captions })
    this.#writing.captions.show(this.#room.choice.written)
    this.#occupancy.count(this.#members.length)
    this.#welcome.see(this.#members)
    this.#troubles.look(this.channelId)
  }

  readonly #lookAgain = (): void => {
    if (this.#around.people.outdated(this.#members)) this.#refresh()
    this.#look = after(this.#parts.clock, LOOK_MS, this.#lookAgain)
  }

  /** Opens what is to be written in, and writes there that people are listened to. */
  async #announce(): Promise<void> {
    await this.#writing.set(this.#request.captions)
    await this.#welcome.write(this.#members)
  }

  get #mention(): string {
    return `<#${this.channelId}>`
  }

  /** Captions in the chat of a voice channel go along to the next one. */
  #moved(): void {
    if (!this.#begun || this.#finishing) return
    const { channelId, textChannelId } = this.#request
    const along = textChannelId === channelId || !this.#around.view.has(this.#writing.channelId)
    if (along) this.#writing.moveTo(this.channelId)
    this.#see()
    void this.#welcome.write(this.#members)
    this.#refresh()
    this.#welcome.say(this.#members)
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

  /** Nobody is listened to from here on; then goodbye, in a bounded time. */
  async #end(end: ChannelEnd): Promise<ChannelEnd> {
    const { clock, log, options: { farewellMs = FAREWELL_MS } = {} } = this.#parts
    for (const each of [this.#watch, this.#look, this.#occupancy, this.#welcome, this.#others])
      each?.[Symbol.dispose]()
    await this.#room.speakers.close({ kind: 'hangup', by: 'local' })
    const polite = this.#begun && (end.kind === 'stopped' || end.kind === 'parent-closed')
    await Promise.all([
      this.#welcome.farewell(polite ? this.#members : [], farewellMs),
      within(clock, LAST_WRITING_MS, this.#writing.end(end, this.#mention, this.#begun)),
      within(clock, LAST_WRITING_MS, this.#indicator?.off()),
      within(clock, farewellMs, this.#others.leave()),
    ])
    await within(clock, farewellMs, this.#others.hangUp())
    await this.#room.close({ kind: 'hangup', by: 'local' })
    const left = await this.#link.leave(end)
    log.info({ guildId: this.guildId, channelId: this.channelId, end: left.kind }, 'interpreting ended')
    this.#settle(left)
    return left
  }
}
