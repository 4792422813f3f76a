import { type LanguageId, sameLanguage } from '../../common/language.ts'
import type { Caption } from '../../core/model/events.ts'
import type { Participant } from '../../core/room/participant.ts'

/** Maximum number of drafts per reader that are not final yet. */
const MOST_DRAFTS = 32

/** A participant of the room. */
type Party = Pick<Participant, 'id' | 'invitation' | 'state'>

/** A reader of captions. */
export interface Reader {
  /** Id of their participant. */
  readonly id: string | undefined
  readonly hears: LanguageId | undefined
}

/**
 * Selects the captions for one visitor. A speaker has a session for each target language, and each session captions
 * the same words. Visitors read captions in the language they hear; speech of their own or in that language appears
 * once.
 */
export class Reading {
  /** Utterances the visitor has started to read. They are shown to the end, even if settings change meanwhile. */
  readonly #drafts = new Set<string>()

  /** Returns `caption` as shown to `reader`, given the participants of the room, or undefined to hide it. */
  of(caption: Caption, reader: Reader, parties: Iterable<Party>): Caption | undefined {
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
    if (id === speaker || invitation.takes === 'nothing' || !interpreting || hears === undefined) continue
    if (!sameLanguage(from, hears)) return hears
  }
  // No other listener: the speaker hears their own translation, or has only readers.
  return to
}
