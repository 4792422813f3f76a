import { type Clock, setTimer } from '../../common/clock.ts'
import { type LanguageId, sameLanguage } from '../../common/language.ts'
import type { Caption } from '../../core/model/caption.ts'
import type { ParticipantChange } from '../../core/model/participant-state.ts'
import type { Participant } from '../../core/room/participant.ts'
import type { BrowserLeg } from './browser-leg.ts'
import type { Outbound, ReceptionView, SelfView, Voices } from './protocol.ts'

/** Maximum number of drafts per reader that are not final yet. */
const MOST_DRAFTS = 32

/** A participant of the room. */
type Party = Pick<Participant, 'id' | 'invitation' | 'state'>

/** A reader of captions. */
export interface CaptionReader {
  /** Id of their participant. */
  readonly id: string | undefined
  readonly hears: LanguageId | undefined
}

/**
 * Selects the captions for one visitor. A speaker has a session for each target language, and each session captions
 * the same words. Visitors read captions in the language they hear; their own speech and speech in that language appears
 * once.
 */
export class CaptionForwarder {
  /** Utterances the visitor has started to read. They are shown to the end, even if settings change meanwhile. */
  readonly #drafts = new Set<string>()

  /** Returns `caption` as shown to `reader`, given the participants of the room, or undefined to hide it. */
  of(caption: Caption, reader: CaptionReader, parties: Iterable<Party>): Caption | undefined {
    const { utterance, final, from, translation: _, ...others } = caption
    const mine = caption.speaker === reader.id
    const understood = !mine && reader.hears !== undefined && sameLanguage(from, reader.hears)
    const theirs = mine || understood ? caption.to === leading(caption, parties) : caption.to === reader.hears
    if (!theirs && !this.#drafts.has(utterance)) return undefined
    if (final) this.#drafts.delete(utterance)
    else this.#drafts.add(utterance)
    if (this.#drafts.size > MOST_DRAFTS) this.#drafts.delete(this.#drafts.values().next().value!)
    return understood ? { ...others, utterance, final, from } : caption
  }
}

/**
 * Of the languages a speaker is translated into, returns the one whose captions are shown to readers of the original.
 */
function leading({ speaker, from, to }: Caption, parties: Iterable<Party>): LanguageId {
  for (const { id, invitation, state } of parties) {
    const { hears, interpreting } = state
    if (id === speaker || invitation.receives === 'none' || !interpreting || hears === undefined) continue
    if (!sameLanguage(from, hears)) return hears
  }
  // No other listener: the speaker hears their own translation, or has only readers.
  return to
}

/** Languages a visitor hears in company and alone. */
export interface HeardLanguages {
  readonly company: LanguageId
  readonly alone: LanguageId
  /** Voices by the language they speak; other languages use the default voice. */
  readonly voices: Voices
}

export interface VisitOptions {
  readonly call: string
  readonly secret: string
  readonly room: string
  /** Has a link or a code; false for the creator of the room. */
  readonly invited: boolean
  /** Token of a link to the room, for a new session at another node of the fleet. */
  readonly rejoin: string | undefined
  /** What others call them without a name; undefined if they have one. */
  readonly unnamed: string | undefined
  /** Group of addresses whose sessions count together; undefined if exempt. */
  readonly group: string | undefined
  readonly hearing: HeardLanguages
  /** Others are in the room on arrival. */
  readonly accompanied: boolean
  readonly participant: (leg: string) => Participant | undefined
  readonly clock: Clock
  readonly endsAt: number
}

/**
 * A person’s session in a room, over any number of connections. It applies the language for hearing alone or in
 * company; all other state belongs to the participant.
 */
export class BrowserSession {
  readonly call: string
  readonly secret: string
  readonly room: string
  readonly invited: boolean
  readonly rejoin: string | undefined
  readonly group: string | undefined
  readonly endsAt: number
  readonly unnamed: string | undefined
  /** They have given a name. */
  named: boolean
  readonly #options: VisitOptions
  #end: Disposable | undefined
  readonly #reading = new CaptionForwarder()
  /** What the page was told last, as JSON. */
  #received = ''
  #hearing: HeardLanguages
  #accompanied: boolean
  #leg: BrowserLeg | undefined
  #first: string | undefined
  #changing = false

  constructor(options: VisitOptions) {
    this.call = options.call
    this.secret = options.secret
    this.room = options.room
    this.invited = options.invited
    this.rejoin = options.rejoin
    this.group = options.group
    this.unnamed = options.unnamed
    this.named = options.unnamed === undefined
    this.endsAt = options.endsAt
    this.#options = options
    this.#hearing = options.hearing
    this.#accompanied = options.accompanied
  }

  /** Limits the duration of the session. Call it once. */
  start(): void {
    const { clock } = this.#options
    this.#end = setTimer(clock, this.endsAt - clock.now(), () => this.#timeIsUp())
  }

  /** The current connection, or the last one. */
  get leg(): BrowserLeg | undefined {
    return this.#leg
  }

  /** Id of the participant: that of the first leg. */
  get participantId(): string | undefined {
    return this.#first
  }

  get participant(): Participant | undefined {
    return this.#first === undefined ? undefined : this.#options.participant(this.#first)
  }

  /** Continues over `leg`. */
  moveTo(leg: BrowserLeg): void {
    this.#leg = leg
    this.#received = ''
    this.#first ??= leg.id
  }

  /** Sends `caption` as this visitor reads it, given the participants of the room. */
  read(caption: Caption, parties: Iterable<Participant>): void {
    const reader = { id: this.#first, hears: this.participant?.state.hears }
    const read = this.#reading.of(caption, reader, parties)
    if (!read) return
    const { speaker, name, utterance, from, to, final, text, translation } = read
    this.tell({
      kind: 'caption',
      mine: speaker === this.#first,
      ...{ utterance, from, to, final },
      name,
      text,
      translation,
    })
  }

  /** Tells the page what it gets from each speaker, if that has changed. */
  receive(from: readonly ReceptionView[]): void {
    const received = JSON.stringify(from)
    if (received === this.#received) return
    this.#received = received
    this.tell({ kind: 'receptions', from })
  }

  tell(message: Outbound): void {
    this.#leg?.tell(message)
  }

  /** Applies the visitor’s choices; throws `RangeError` for invalid ones. */
  choose(chosen: Partial<HeardLanguages>, change: ParticipantChange, company: boolean): void {
    this.#hearing = { ...this.#hearing, ...chosen }
    this.#change({ ...change, ...this.#heard(company) })
  }

  /** Switches the language when others join or the last of them leaves. */
  fit(company: boolean): void {
    if (company === this.#accompanied) return
    this.#accompanied = company
    this.#change(this.#heard(company))
  }

  /** Applies a change made by someone else to the current situation, alone or in company. */
  overruled(hears: LanguageId | undefined, company: boolean): void {
    if (this.#changing || hears === undefined) return
    this.#hearing = { ...this.#hearing, [company ? 'company' : 'alone']: hears }
  }

  view(accompanied: boolean): SelfView | undefined {
    const state = this.participant?.state
    if (!state) return undefined
    const { speaks, hears, voice, original, muted } = state
    return {
      speaks,
      hears,
      voice,
      accompanied,
      company: this.#hearing.company,
      alone: this.#hearing.alone,
      original,
      muted,
    }
  }

  close(): void {
    this.#end?.[Symbol.dispose]()
  }

  #heard(company: boolean): { readonly hears: LanguageId; readonly voice: string | null } {
    const hears = company ? this.#hearing.company : this.#hearing.alone
    return { hears, voice: this.#hearing.voices[hears] ?? null }
  }

  #change(change: ParticipantChange): void {
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
