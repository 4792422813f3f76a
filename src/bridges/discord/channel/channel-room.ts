import { BridgeError } from '../../../common/errors.ts'
import { type LanguageId, sameLanguage } from '../../../common/language.ts'
import type { EndReason } from '../../../common/lifecycle.ts'
import type { Invitation } from '../../../core/model/invitation.ts'
import type { Participant } from '../../../core/room/participant.ts'
import type { OutputLanguages } from '../channel-interpreter.ts'
import { CHANNEL_DEFAULTS } from '../options.ts'
import { ChannelOutput } from '../voice/channel-output.ts'
import type { PacketPlayer, PacketSource } from '../voice/rtp-packet.ts'
import type { ChannelResources } from './channel-context.ts'
import type { ChannelMember } from './guild-view.ts'
import { ReaderLeg, RoomParties } from './room-participants.ts'
import { ReturningSpeaker, Speakers, speakerId } from './speakers.ts'
import { VoiceCasting } from './voice-casting.ts'

export interface ChannelRoomOptions {
  /** Unique in this process; prefix of leg IDs. */
  readonly id: string
  readonly guildId: string
  readonly room: string
  readonly link: PacketSource & PacketPlayer
  /** False: the channel has no spoken output. */
  readonly voice: boolean
  readonly fallback: LanguageId
  /** Called when the limit of listened-to speakers is reached. */
  readonly onFull: () => void
  /** Called when an output or a reader ends unexpectedly. */
  readonly onLost: (reason: EndReason) => void
}

/** The channel's current needs. */
export interface ChannelWants {
  readonly members: readonly ChannelMember[]
  readonly output: OutputLanguages
  readonly captions: boolean
  /** Translates nothing. */
  readonly paused?: boolean
}

/**
 * Returns the shared space of a guild. A bot is in one voice channel per guild and can be moved, so it is the guild's.
 */
export function sharedSpaceOf(guildId: string): string {
  return `discord ${guildId}`
}

const NOTHING: OutputChoice = { spoken: [], readers: [], written: [] }

/**
 * The participants of a voice channel in a room: its speakers, one output per spoken language and one reader per captioned
 * language.
 */
export class ChannelRoom {
  readonly name: string
  readonly speakers: Speakers
  readonly outputs: RoomParties
  readonly #resources: ChannelResources
  readonly #options: ChannelRoomOptions
  readonly #readers: RoomParties
  readonly #voice: ChannelOutput
  #choice: OutputChoice = NOTHING
  #legs = 0
  #closed = false

  constructor(resources: ChannelResources, options: ChannelRoomOptions) {
    const { id, guildId, room, link, onFull, onLost } = options
    const { relay, admission, pacer, counters, log, channelOptions = {} } = resources
    const { endOfTurnSilenceMs, voices: { perSpeaker = CHANNEL_DEFAULTS.voices.perSpeaker, only } = {} } =
      channelOptions
    const casting = new VoiceCasting({ offered: () => resources.voices?.() ?? [], only })
    this.#resources = resources
    this.#options = options
    this.name = room
    this.#voice = new ChannelOutput({ id, player: link, pacer, counters })
    const invitation: Invitation = { room, sharedSpace: sharedSpaceOf(guildId), echo: false }
    this.outputs = new RoomParties({
      relay,
      admission,
      invitation: { ...invitation, receives: 'audio' },
      leg: language => this.#voice.openLeg(language),
      onLost,
    })
    this.#readers = new RoomParties({
      relay,
      admission,
      invitation: { ...invitation, receives: 'captions' },
      leg: language => new ReaderLeg(`${id} reader ${++this.#legs}`, language),
      onLost,
    })
    this.speakers = new Speakers({
      relay,
      admission,
      invitation: { ...invitation, receives: 'none' },
      leg: userId =>
        new ReturningSpeaker(`${guildId} ${userId}`, {
          id: speakerId(id, userId, ++this.#legs),
          userId,
          source: link,
          pacer,
          counters,
          log,
          endOfTurnSilenceMs,
        }),
      voices: speakers => (perSpeaker ? casting.of(speakers) : undefined),
      onFull: ({ message: reason }) => {
        log.warn({ guildId, reason }, 'speaker rejected')
        onFull()
      },
    })
  }

  /** Languages currently spoken and captioned. */
  get choice(): OutputChoice {
    return this.#choice
  }

  /** Spoken languages that someone needs. In a channel of one language, the only voice is for notices. */
  get spoken(): readonly LanguageId[] {
    const speaking = this.participants.flatMap(({ state: { speaks } }) => speaks ?? [])
    return this.outputs.languages.filter(each => speaking.some(language => !sameLanguage(language, each)))
  }

  get participants(): readonly Participant[] {
    return Array.from(this.#resources.relay.rooms.get(this.name)?.participants.values() ?? [])
  }

  /** True if somebody speaks untranslated, or would. */
  get unavailable(): boolean {
    return this.#resources.relay.serviceUnavailable || this.untranslated?.length !== 0
  }

  /** The names of those who speak without being translated; undefined if the service does not respond to anybody. */
  get untranslated(): readonly string[] | undefined {
    const { relay } = this.#resources
    const room = relay.rooms.get(this.name)
    if (!room) return []
    const lacking = room.outages
    if (lacking.length > 0 && relay.serviceUnavailable) return undefined
    const others = Array.from(room.interpretations).some(({ gets }) => gets !== 'unavailable')
    // A service that serves others does not recognize this language: that is not an outage.
    const counted = lacking.filter(({ refused }) => !refused || !others)
    return [...new Set(counted.map(({ speaker }) => speaker.state.name ?? speaker.id))]
  }

  /** The output for announcements in `language`. */
  output(language: LanguageId): Participant | undefined {
    const best =
      this.outputs.languages.find(each => sameLanguage(each, language)) ?? this.outputs.languages[0]
    return best === undefined ? undefined : this.outputs.of(best)
  }

  /** Adapts the room's participants to the channel's needs. */
  fit({ members, output, captions, paused = false }: ChannelWants): void {
    if (this.#closed) return
    const { voice, fallback } = this.#options
    if (paused) {
      this.#choice = NOTHING
      this.#try(() => this.outputs.fit([]))
      // Keeps the room open, without a translation.
      this.#try(() => this.#readers.fit([fallback]))
      this.#readers.interpret(false)
      return
    }
    this.#choice = chooseOutput({
      languages: members.map(({ language }) => language),
      output,
      voice,
      captions,
      fallback,
      now: this.outputs.languages,
    })
    this.speakers.prepare(members)
    const { spoken, readers } = this.#choice
    this.#try(() => this.outputs.fit(spoken, spoken.length > 1 ? 'off' : 'duck'))
    this.#try(() => this.#readers.fit(readers))
    this.#readers.interpret(true)
    this.speakers.fit(members)
  }

  /** Stops listening and speaking. Idempotent. */
  async close(reason: EndReason): Promise<void> {
    this.#closed = true
    await Promise.all([this.speakers.close(reason), this.#readers.close(reason), this.outputs.close(reason)])
    this.#voice.close()
  }

  #try(act: () => void): void {
    try {
      act()
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      this.#resources.log.warn(
        { room: this.name, code: error.code, reason: error.message },
        'participant rejected',
      )
      this.#options.onFull()
    }
  }
}

export interface OutputNeeds {
  /** The language of each person in the channel, in order of joining. */
  readonly languages: readonly LanguageId[]
  readonly output: OutputLanguages
  /** False: captions only. */
  readonly voice: boolean
  readonly captions: boolean
  /** Used when the members' languages do not decide. */
  readonly fallback: LanguageId
  /** Languages spoken now. They win ties. */
  readonly now: readonly LanguageId[]
}

interface OutputChoice {
  /** Spoken in the channel. */
  readonly spoken: readonly LanguageId[]
  /** Languages that need a separate leg for captions. */
  readonly readers: readonly LanguageId[]
  /** Languages shown in captions. */
  readonly written: readonly LanguageId[]
}

/** A language and its number of speakers, with all regions combined. */
interface Claim {
  readonly language: LanguageId
  readonly people: number
}

/**
 * Chooses the spoken and captioned languages of a channel. `auto`: with two languages, both are spoken. With one, the
 * only voice is for notices and phones. With three or more, the most common one is spoken, and the others are
 * captioned.
 */
export function chooseOutput(needs: OutputNeeds): OutputChoice {
  const { output, voice, captions, fallback } = needs
  const claims = claimsOf(needs)
  const spoken = voice ? (output === 'auto' ? spokenLanguages(claims, fallback) : output) : []
  if (!captions) return { spoken, readers: [], written: [] }
  const fixed = output === 'auto' ? [] : output
  const people = claims.length > 0 ? claims.map(({ language }) => language) : [fallback]
  const written = [...people, ...fixed.filter(language => !people.some(each => sameLanguage(each, language)))]
  // If all members speak one language, no translation exists; a reader makes captions of the original.
  const readers =
    written.length === 1
      ? written
      : written.filter(language => !spoken.some(each => sameLanguage(each, language)))
  return { spoken, readers, written }
}

function spokenLanguages(claims: readonly Claim[], fallback: LanguageId): LanguageId[] {
  if (claims.length === 0) return [fallback]
  return claims.slice(0, claims.length === 2 ? 2 : 1).map(({ language }) => language)
}

/** Sorted by number of speakers, then by spoken now, fallback, and order of joining. */
function claimsOf({ languages, now, fallback }: OutputNeeds): Claim[] {
  const groups: { languages: LanguageId[] }[] = []
  for (const language of languages) {
    const group = groups.find(({ languages: [first] }) => first && sameLanguage(first, language))
    if (group) group.languages.push(language)
    else groups.push({ languages: [language] })
  }
  const claims = groups.map(group => ({
    language: regionOf(group.languages, now),
    people: group.languages.length,
    stays: now.some(each => sameLanguage(each, group.languages[0]!)) ? 1 : 0,
    home: sameLanguage(fallback, group.languages[0]!) ? 1 : 0,
  }))
  return claims.sort((a, b) => b.people - a.people || b.stays - a.stays || b.home - a.home)
}

/** Of several regions of one language: the one spoken now, otherwise the most common. */
function regionOf(languages: readonly LanguageId[], now: readonly LanguageId[]): LanguageId {
  const kept = now.find(each => languages.includes(each))
  if (kept) return kept
  const count = (language: LanguageId) => languages.filter(each => each === language).length
  return languages.reduce((best, each) => (count(each) > count(best) ? each : best))
}
