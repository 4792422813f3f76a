import { type LanguageId, sameLanguage } from '../../../core/languages.ts'
import type { ChannelOutput } from '../channel-interpreter.ts'

export interface OutputNeeds {
  /** The language of each person in the channel; whoever came first is first. */
  readonly languages: readonly LanguageId[]
  readonly output: ChannelOutput
  /** False: captions only. */
  readonly voice: boolean
  readonly captions: boolean
  /** Where nobody's language says otherwise. */
  readonly fallback: LanguageId
  /** Voices now: of equal claims, what is spoken already stays. */
  readonly now: readonly LanguageId[]
}

export interface OutputChoice {
  /** Spoken in the channel. */
  readonly ears: readonly LanguageId[]
  /** Captions are made in these for their own sake. */
  readonly readers: readonly LanguageId[]
  /** Languages that captions show. */
  readonly written: readonly LanguageId[]
}

/** A language and how many people speak it; regions count together. */
interface Claim {
  readonly language: LanguageId
  readonly people: number
}

/**
 * What is spoken and written in a channel. `auto`: two languages, each is spoken; one, nobody needs a voice, but there is
 * one for notices and telephones; three or more, the one that most people speak, and captions for everybody else.
 */
export function chooseOutput(needs: OutputNeeds): OutputChoice {
  const { output, voice, captions, fallback } = needs
  const claims = claimsOf(needs)
  const ears = voice ? (output === 'auto' ? spoken(claims, fallback) : output) : []
  if (!captions) return { ears, readers: [], written: [] }
  const fixed = output === 'auto' ? [] : output
  const people = claims.length > 0 ? claims.map(({ language }) => language) : [fallback]
  const written = [...people, ...fixed.filter(language => !people.some(each => sameLanguage(each, language)))]
  // Where all speak one language nobody's words are translated: somebody must read them as they are.
  const readers =
    written.length === 1
      ? written
      : written.filter(language => !ears.some(ear => sameLanguage(ear, language)))
  return { ears, readers, written }
}

function spoken(claims: readonly Claim[], fallback: LanguageId): LanguageId[] {
  if (claims.length === 0) return [fallback]
  return claims.slice(0, claims.length === 2 ? 2 : 1).map(({ language }) => language)
}

/** Most people first; then what is spoken already, the fallback, and who came first. */
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

/** Of several regions of one language: what is spoken already, else what most speak. */
function regionOf(languages: readonly LanguageId[], now: readonly LanguageId[]): LanguageId {
  const kept = now.find(each => languages.includes(each))
  if (kept) return kept
  const count = (language: LanguageId) => languages.filter(each => each === language).length
  return languages.reduce((best, each) => (count(each) > count(best) ? each : best))
}
