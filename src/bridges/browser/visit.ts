import { after, type Clock } from '../../core/clock.ts'
import type { LanguageId } from '../../core/languages.ts'
import type { Caption } from '../../core/observer.ts'
import type { Participant } from '../../core/participant.ts'
import type { PartyChange } from '../../core/party-state.ts'
import type { BrowserLeg } from './leg.ts'
import type { Outbound, SelfView } from './messages.ts'
import { Reading } from './reading.ts'
import type { Voices } from './wire.ts'

/** What somebody hears while others are there, and while nobody is. */
export interface Hearing {
  readonly company: LanguageId
  readonly alone: LanguageId
  /** In which voice, by the language it speaks; others: the usual one. */
  readonly voices: Voices
}

export interface VisitParts {
  readonly call: string
  readonly secret: string
  readonly room: string
  /** By somebody who was there before them, or whoever made the room. */
  readonly invited: boolean
  /** Whom it is counted with; undefined: with nobody. */
  readonly group: string | undefined
  readonly hearing: Hearing
  /** Others are there when they come in. */
  readonly accompanied: boolean
  readonly participant: (leg: string) => Participant | undefined
  readonly clock: Clock
  readonly endsAt: number
}

/**
 * Somebody's stay in a room, over however many connections. It knows what they hear alone and in company, and sees to it
 * that they do; everything else about them is their participant's state.
 */
export class Visit {
  readonly call: string
  readonly secret: string
  readonly room: string
  readonly invited: boolean
  readonly group: string | undefined
  readonly endsAt: number
  readonly #parts: VisitParts
  readonly #end: Disposable
  readonly #reading = new Reading()
  #hearing: Hearing
  #accompanied: boolean
  #leg: BrowserLeg | undefined
  #first: string | undefined
  #changing = false

  constructor(parts: VisitParts) {
    this.call = parts.call
    this.secret = parts.secret
    this.room = parts.room
    this.invited = parts.invited
    this.group = parts.group
    this.endsAt = parts.endsAt
    this.#parts = parts
    this.#hearing = parts.hearing
    this.#accompanied = parts.accompanied
    this.#end = after(parts.clock, parts.endsAt - parts.clock.now(), () => this.#timeIsUp())
  }

  /** The connection it has, or had last. */
  get leg(): BrowserLeg | undefined {
    return this.#leg
  }

  /** The participant's id: that of the first leg. */
  get participantId(): string | undefined {
    return this.#first
  }

  get participant(): Participant | undefined {
    return this.#first === undefined ? undefined : this.#parts.participant(this.#first)
  }

  /** Goes on over `leg`; returns the one before. */
  moveTo(leg: BrowserLeg): BrowserLeg | undefined {
    const before = this.#leg
    this.#leg = leg
    this.#first ??= leg.id
    return before
  }

  /** Tells of `caption`, as they read it, with these people in the room. */
  read(caption: Caption, parties: Iterable<Participant>): void {
    const reader = { id: this.#first, hears: this.participant?.state.hears }
    const read = this.#reading.of(caption, reader, parties)
    if (!read) return
    const { speaker, name, utterance, from, to, final, text, translation } = read
    this.tell({
      kind: 'caption',
      mine: speaker === this.#first,
      ...{ utterance, from, to, final },
      ...(name === undefined ? {} : { name }),
      ...(text === undefined ? {} : { text }),
      ...(translation === undefined ? {} : { translation }),
    })
  }

  tell(message: Outbound): void {
    this.#leg?.socket.tell(message)
  }

  /** Takes over what somebody asked for; throws `RangeError` for what cannot be. */
  choose(chosen: Partial<Hearing>, change: PartyChange, company: boolean): void {
    this.#hearing = { ...this.#hearing, ...chosen }
    this.#change({ ...change, ...this.#heard(company) })
  }

  /** The first of others came, or the last left: they hear what they want to hear then. */
  fit(company: boolean): void {
    if (company === this.#accompanied) return
    this.#accompanied = company
    this.#change(this.#heard(company))
  }

  /** What they hear was changed by somebody else: that is what they hear in such company from now on. */
  overruled(hears: LanguageId | undefined, company: boolean): void {
    if (this.#changing || hears === undefined) return
    this.#hearing = { ...this.#hearing, [company ? 'company' : 'alone']: hears }
  }

  view(accompanied: boolean): SelfView | undefined {
    const state = this.participant?.state
    if (!state) return undefined
    const { speaks, hears, voice, original, muted } = state
    return {
      ...(speaks === undefined ? {} : { speaks }),
      ...(hears === undefined ? {} : { hears }),
      ...(voice === undefined ? {} : { voice }),
      accompanied,
      company: this.#hearing.company,
      alone: this.#hearing.alone,
      original,
      muted,
    }
  }

  close(): void {
    this.#end[Symbol.dispose]()
  }

  #heard(company: boolean): { readonly hears: LanguageId; readonly voice: string | null } {
    const hears = company ? this.#hearing.company : this.#hearing.alone
    return { hears, voice: this.#hearing.voices[hears] ?? null }
  }

  #change(change: PartyChange): void {
    this.#changing = true
    try {
      this.participant?.change(change)
    } finally {
      this.#changing = false
    }
  }

  #timeIsUp(): void {
    this.#leg?.tellEnd('time')
    void this.participant?.hangUp()
  }
}
