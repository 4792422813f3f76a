import type { Clock } from '../../core/clock.ts'
import { after } from '../../core/clock.ts'
import type { LanguageId } from '../../core/languages.ts'
import type { Participant } from '../../core/participant.ts'
import type { PartyChange } from '../../core/party-state.ts'
import type { BrowserLeg } from './leg.ts'
import type { Outbound, SelfView } from './messages.ts'

/** What somebody hears while others are there, and while nobody is. */
export interface Languages {
  readonly company: LanguageId
  readonly alone: LanguageId
}

export interface VisitParts {
  readonly call: string
  readonly secret: string
  readonly room: string
  readonly languages: Languages
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
  readonly endsAt: number
  /** The voice they chose, by the language it speaks: kept for when they hear that language again. */
  readonly voices = new Map<LanguageId, string>()
  readonly #parts: VisitParts
  readonly #end: Disposable
  #languages: Languages
  #leg: BrowserLeg | undefined
  #first: string | undefined
  #changing = false

  constructor(parts: VisitParts) {
    this.call = parts.call
    this.secret = parts.secret
    this.room = parts.room
    this.endsAt = parts.endsAt
    this.#parts = parts
    this.#languages = parts.languages
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

  tell(message: Outbound): void {
    this.#leg?.socket.tell(message)
  }

  /** What is heard with or without company. */
  hears(company: boolean): LanguageId {
    return company ? this.#languages.company : this.#languages.alone
  }

  /** Takes over what somebody asked for; throws `RangeError` for what cannot be. */
  choose(chosen: Partial<Languages>, change: PartyChange, company: boolean): void {
    this.#languages = { ...this.#languages, ...chosen }
    this.#change({ ...change, hears: this.hears(company) })
  }

  /** Somebody came or left: they hear what they want to hear then. */
  fit(company: boolean): void {
    const { participant } = this
    const hears = this.hears(company)
    if (participant && participant.state.hears !== hears) this.#change({ hears })
  }

  /** What they hear was changed by somebody else: that is what they hear in such company from now on. */
  overruled(hears: LanguageId | undefined, company: boolean): void {
    if (this.#changing || hears === undefined) return
    this.#languages = { ...this.#languages, [company ? 'company' : 'alone']: hears }
  }

  view(accompanied: boolean): SelfView | undefined {
    const state = this.participant?.state
    if (!state) return undefined
    const { speaks, hears, original, muted } = state
    return {
      ...(speaks === undefined ? {} : { speaks }),
      ...(hears === undefined ? {} : { hears }),
      accompanied,
      company: this.#languages.company,
      alone: this.#languages.alone,
      original,
      muted,
    }
  }

  close(): void {
    this.#end[Symbol.dispose]()
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
    this.tell({ kind: 'ended', why: 'time' })
    void this.participant?.hangUp()
  }
}
