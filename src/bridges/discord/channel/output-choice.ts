import { type LanguageId, sameLanguage } from '../../../common/language.ts'
import type { OutputLanguages } from '../contract.ts'

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

export interface OutputChoice {
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
