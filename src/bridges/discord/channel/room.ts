import { BridgeError } from '../../../common/errors.ts'
import { type LanguageId, sameLanguage } from '../../../common/language.ts'
import type { EndReason } from '../../../common/lifecycle.ts'
import type { Logger } from '../../../common/log.ts'
import type { Admission, Invitation } from '../../../core/model/invitation.ts'
import type { Reception } from '../../../core/model/reception.ts'
import type { Participant } from '../../../core/room/participant.ts'
import type { Relay } from '../../../core/room/relay.ts'
import type { OutputLanguages } from '../contract.ts'
import type { LinkCounters } from '../counters.ts'
import { ChannelOutput, type OutputPacer } from '../voice/channel-output.ts'
import type { PacketPlayer, PacketSource } from '../voice/rtp-packet.ts'
import { LanguageLegs, ReaderLeg } from './language-legs.ts'
import { chooseOutput, type OutputChoice } from './output-choice.ts'
import type { ChannelMember } from './people.ts'
import { ReturningSpeaker, Speakers, speakerId } from './speakers.ts'
import type { VoiceCasting } from './voice-casting.ts'

export interface ChannelRoomOptions {
  /** Unique in this process; prefix of leg IDs. */
  readonly id: string
  readonly guildId: string
  readonly room: string
  readonly link: PacketSource & PacketPlayer
  /** False: the channel has no spoken output. */
  readonly voice: boolean
  readonly fallback: LanguageId
  readonly relay: Relay
  readonly admission: Admission
  readonly pacer: OutputPacer
  readonly counters: LinkCounters
  /** Gives each speaker their own voice. */
  readonly casting: VoiceCasting
  readonly log: Logger
  /** Called when the limit of listened-to speakers is reached. */
  readonly onFull: () => void
  /** Called when an output or a reader ends unexpectedly. */
  readonly onLost: (reason: EndReason) => void
}

/** The channel's current needs. */
export interface ChannelNeeds {
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
  readonly #options: ChannelRoomOptions
  readonly #outputs: LanguageLegs
  readonly #readers: LanguageLegs
  readonly #stream: ChannelOutput
  #choice: OutputChoice = NOTHING
  #legs = 0
  #closed = false

  constructor(options: ChannelRoomOptions) {
    const { id, guildId, room, link, relay, admission, pacer, counters, casting, log } = options
    const { onFull, onLost } = options
    this.#options = options
    this.name = room
    this.#stream = new ChannelOutput({ id, player: link, pacer, counters })
    const invitation: Invitation = { room, sharedSpace: sharedSpaceOf(guildId), echo: false }
    this.#outputs = new LanguageLegs({
      relay,
      admission,
      invitation: { ...invitation, receives: 'audio' },
      leg: language => this.#stream.openLeg(language),
      onLost,
    })
    this.#readers = new LanguageLegs({
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
        }),
      voices: speakers => casting.of(speakers),
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
    return this.#outputs.languages.filter(each => speaking.some(language => !sameLanguage(language, each)))
  }

  get participants(): readonly Participant[] {
    return Array.from(this.#options.relay.rooms.get(this.name)?.participants.values() ?? [])
  }

  /** True if somebody speaks untranslated, or would. */
  get unavailable(): boolean {
    return this.#lacking.length > 0
  }

  /** The names of those who speak without being translated; undefined if the service does not respond to anybody. */
  get untranslated(): readonly string[] | undefined {
    const missed = this.#lacking.filter(each => each.missed)
    if (missed.some(({ why }) => why === 'service-unavailable')) return undefined
    const participants = this.#options.relay.rooms.get(this.name)?.participants
    return [...new Set(missed.map(({ speaker }) => participants?.get(speaker)?.state.name ?? speaker))]
  }

  /** Who lacks whose translation. */
  get #lacking(): readonly Reception[] {
    const receptions = this.#options.relay.rooms.get(this.name)?.receptions ?? []
    const works = receptions.some(({ gets }) => gets === 'translated' || gets === 'stand-in')
    // A service that serves others does not recognize this language: that is not an outage.
    return receptions.filter(({ gets, why }) => gets === 'unavailable' && !(works && why === 'refused'))
  }

  /** The output for announcements in `language`. */
  output(language: LanguageId): Participant | undefined {
    const best =
      this.#outputs.languages.find(each => sameLanguage(each, language)) ?? this.#outputs.languages[0]
    return best === undefined ? undefined : this.#outputs.of(best)
  }

  /** Adapts the room's participants to the channel's needs. */
  fit({ members, output, captions, paused = false }: ChannelNeeds): void {
    if (this.#closed) return
    const { voice, fallback } = this.#options
    if (paused) {
      this.#choice = NOTHING
      this.#try(() => this.#outputs.fit([]))
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
      now: this.#outputs.languages,
    })
    this.speakers.prepare(members)
    const { spoken, readers } = this.#choice
    this.#try(() => this.#outputs.fit(spoken, spoken.length > 1 ? 'off' : 'duck'))
    this.#try(() => this.#readers.fit(readers))
    this.#readers.interpret(true)
    this.speakers.fit(members)
  }

  /** Stops listening and speaking. Idempotent. */
  async close(reason: EndReason): Promise<void> {
    this.#closed = true
    await Promise.all([this.speakers.close(reason), this.#readers.close(reason), this.#outputs.close(reason)])
    this.#stream.close()
  }

  #try(act: () => void): void {
    try {
      act()
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      this.#options.log.warn(
        { room: this.name, code: error.code, reason: error.message },
        'participant rejected',
      )
      this.#options.onFull()
    }
  }
}
