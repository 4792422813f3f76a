import { BridgeError } from '../../../common/errors.ts'
import type { EndReason } from '../../../common/lifecycle.ts'
import type { Admission, Invitation, TranslatedVoices } from '../../../core/model/invitation.ts'
import type { Leg } from '../../../core/model/leg.ts'
import type { Participant } from '../../../core/room/participant.ts'
import type { Relay } from '../../../core/room/relay.ts'
import { SpeakerLeg, type SpeakerLegOptions } from '../voice/speaker-leg.ts'
import type { ChannelMember } from './people.ts'
import type { CastSpeaker } from './voice-casting.ts'

/** A speaker who leaves the channel and soon rejoins is the same participant: all their legs belong to one call. */
export class ReturningSpeaker extends SpeakerLeg {
  readonly call: string

  constructor(call: string, options: SpeakerLegOptions) {
    super(options)
    this.call = call
  }
}

/** Returns the ID of the leg of a user in the interpretation `interpretation`; `count` makes it unique. */
export function speakerId(interpretation: string, userId: string, count: number): string {
  return `${interpretation} speaker ${userId} ${count}`
}

/** Returns the user behind a participant; undefined for participants who are not speakers of a voice channel. */
export function userOf(participant: string): string | undefined {
  return /^discord \S+ speaker (\d{1,20}) \d+$/.exec(participant)?.[1]
}

export interface SpeakersOptions {
  readonly relay: Relay
  readonly admission: Admission
  /** Common invitation; each speaker adds their name and language. */
  readonly invitation: Invitation
  /** Creates a leg for a speaker. Listening starts with its admission. */
  readonly leg: (userId: string) => Leg
  /** Returns the voices in which these present speakers are translated. Undefined: the default voices. */
  readonly voices?: (speakers: readonly CastSpeaker[]) => ReadonlyMap<string, TranslatedVoices> | undefined
  /** Called once per `fit` if at least one of them was rejected. */
  readonly onFull: (error: BridgeError) => void
}

/** The members of a channel who are listened to, each a participant of the room. */
export class Speakers {
  readonly #options: SpeakersOptions
  readonly #legs = new Map<string, Leg>()

  constructor(options: SpeakersOptions) {
    this.#options = options
  }

  /** Returns whether each of `members` who was informed, consents and can speak has a leg. */
  complete(members: readonly ChannelMember[]): boolean {
    return members.every(member => !isHeard(member) || this.#legs.has(member.userId))
  }

  of(userId: string): Participant | undefined {
    const leg = this.#legs.get(userId)
    return leg && this.#options.relay.find(leg.id)
  }

  /**
   * Suspends interpretation of speakers whose language changes, until `fit`. The channel's output changes at the same
   * time, and no session should be opened in between.
   */
  prepare(members: readonly ChannelMember[]): void {
    for (const { userId, language } of members) {
      const participant = this.of(userId)
      if (participant && participant.state.speaks !== language) participant.change({ interpreting: false })
    }
  }

  /** Stops listening immediately to those of `members` who do not consent. Returns their participant IDs. */
  silenceAll(members: readonly ChannelMember[]): string[] {
    return members.flatMap(({ userId, consents }) => (consents ? [] : (this.#silence(userId) ?? [])))
  }

  /** Stops listening immediately to everyone. Returns their participant IDs. */
  silenceEveryone(): string[] {
    return Array.from(this.#legs.keys()).flatMap(userId => this.#silence(userId) ?? [])
  }

  /** Listens to exactly those `members` who were informed, consent and can speak. */
  fit(members: readonly ChannelMember[]): void {
    const wanted = new Map(members.map(member => [member.userId, member]))
    for (const userId of this.#legs.keys()) {
      const member = wanted.get(userId)
      if (member && !member.consents) this.#silence(userId)
      else if (!member?.speaks) this.#leave(userId)
    }
    const speakers = members.filter(isHeard)
    // Update these before admitting others: `prepare` suspended some of them, and a rejected newcomer must not keep
    // them suspended.
    const voices = this.#options.voices?.(speakers)
    for (const member of speakers) this.of(member.userId)?.change(stateOf(member, voices))
    let full: BridgeError | undefined
    for (const member of speakers) if (!this.of(member.userId)) full = this.#admit(member, voices) ?? full
    if (full) this.#options.onFull(full)
  }

  /**
   * Stops listening immediately and discards the user's buffered speech: it is not translated, and translations stop
   * playing. Returns the participant ID.
   */
  #silence(userId: string): string | undefined {
    const leg = this.#legs.get(userId)
    if (!leg) return undefined
    const participant = this.#options.relay.find(leg.id)
    const room = this.#options.relay.rooms.get(this.#options.invitation.room)
    if (participant && room) {
      for (const interpretation of room.interpretations)
        if (interpretation.speaker === participant)
          void interpretation.close({ kind: 'hangup', by: 'remote' })
      for (const { playout } of room.participants.values()) playout.voices.get(participant.id)?.clear()
    }
    this.#legs.delete(userId)
    void leg.close({ kind: 'hangup', by: 'remote' })
    return participant?.id ?? leg.id
  }

  /** Stops listening to everyone. Idempotent. */
  async close(reason: EndReason): Promise<void> {
    const legs = Array.from(this.#legs.values())
    this.#legs.clear()
    await Promise.all(legs.map(leg => leg.close(reason)))
  }

  /**
   * The user left the channel: their speech is still translated, and they can rejoin as the same participant for a
   * while.
   */
  #leave(userId: string): void {
    const leg = this.#legs.get(userId)
    this.#legs.delete(userId)
    const error = new BridgeError('LEG_LOST', 'left the voice channel', { retryable: true })
    void leg?.close({ kind: 'failed', error })
  }

  /** Returns the reason if the member was rejected. */
  #admit(member: ChannelMember, voices: Voices): BridgeError | undefined {
    const { admission, invitation, leg: make } = this.#options
    const { userId } = member
    const { speaks, name, translatedVoices } = stateOf(member, voices)
    const leg = make(userId)
    try {
      admission.admit(leg, { ...invitation, speaks, name, translatedVoices: translatedVoices ?? undefined })
    } catch (error) {
      void leg.close({ kind: 'unused' })
      if (!(error instanceof BridgeError)) throw error
      return error
    }
    // A returning speaker still has the previous language and name.
    this.#options.relay.find(leg.id)?.change(stateOf(member, voices))
    this.#legs.set(userId, leg)
    void leg.ended.then(() => {
      if (this.#legs.get(userId) === leg) this.#legs.delete(userId)
    })
    return undefined
  }
}

type Voices = ReadonlyMap<string, TranslatedVoices> | undefined

/** The state of a member who is listened to. */
function stateOf({ userId, language: speaks, name }: ChannelMember, voices: Voices) {
  return { speaks, name, interpreting: true, translatedVoices: voices?.get(userId) ?? null }
}

function isHeard({ consents, informed, speaks }: ChannelMember): boolean {
  return consents && informed && speaks
}
