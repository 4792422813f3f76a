import { type LanguageId, sameLanguage } from '../../core/languages.ts'
import type { Caption } from '../../core/observer.ts'
import type { Participant } from '../../core/participant.ts'

/** Drafts of one reader that may yet become final. */
const MOST_DRAFTS = 32

/** Somebody in the room. */
type Party = Pick<Participant, 'id' | 'invitation' | 'state'>

/** Who reads. */
export interface Reader {
  /** Their participant's id. */
  readonly id: string | undefined
  readonly hears: LanguageId | undefined
}

/**
 * What one visitor reads of what is said in a room. A speaker has a session for each language they are translated into, and each has captions
 * of the same words: a visitor reads those in the language they hear; their own words, and those that they understand, once.
 */
export class Reading {
  /** Utterances that were begun to be read: they are read to their end, whatever changes meanwhile. */
  readonly #drafts = new Set<string>()

  /** `caption` as `reader` has it, with these people in the room; undefined: not at all. */
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

/** Of the languages into which somebody is translated, the one that stands for all. */
function leading({ speaker, from, to }: Caption, parties: Iterable<Party>): LanguageId {
  for (const { id, invitation, state } of parties) {
    const { hears, interpreting } = state
    if (id === speaker || invitation.takes === 'nothing' || !interpreting || hears === undefined) continue
    if (!sameLanguage(from, hears)) return hears
  }
  // Nobody else: they hear themself, or are only read.
  return to
}
