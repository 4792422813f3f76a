import { type LanguageId, sameLanguage } from '../../../common/language.ts'
import type { GlossaryEntry } from '../engine.ts'
import { languageRow } from '../languages.ts'
import type { Phrases } from './phrasebook.ts'
import type { VocabularySettings } from './settings.ts'
import { WordMatcher } from './word-matcher.ts'

/** The names, terms and fixed translations of the settings, by language. */
export class Vocabulary {
  readonly #settings: VocabularySettings
  readonly #terms = new Map<LanguageId, readonly string[]>()
  readonly #glossaries = new Map<string, readonly GlossaryEntry[]>()
  readonly #spellings = new Map<LanguageId, WordMatcher<string>>()

  constructor(settings: VocabularySettings) {
    this.#settings = settings
  }

  /** True if there is nothing in it. */
  get empty(): boolean {
    const { terms, glossary, about } = this.#settings
    return terms.length === 0 && glossary.length === 0 && about === undefined
  }

  /** Topic of the calls. */
  get about(): string | undefined {
    return this.#settings.about
  }

  /** Names and terms, without those of a single language. */
  get names(): readonly string[] {
    return this.#settings.terms
  }

  /** Returns what can be said in `language`: the terms of all languages, and those of the glossary. */
  terms(language: LanguageId): readonly string[] {
    return remembered(this.#terms, language, () => {
      const own = this.#settings.glossary.flatMap(entry => termIn(entry, language) ?? [])
      return Array.from(new Set([...this.#settings.terms, ...own]))
    })
  }

  /** Returns the fixed translations from one language into another; none between regions of one language. */
  glossary(from: LanguageId, to: LanguageId): readonly GlossaryEntry[] {
    return remembered(this.#glossaries, `${from} ${to}`, () => {
      if (sameLanguage(from, to)) return []
      return this.#settings.glossary.flatMap(entry => {
        const [source, target] = [termIn(entry, from), termIn(entry, to)]
        return source === undefined || target === undefined ? [] : { source, target }
      })
    })
  }

  /** Returns `text` with its terms written as in the settings. */
  spelled(text: string, language: LanguageId): string {
    const matcher = remembered(
      this.#spellings,
      language,
      () => new WordMatcher(this.#settings.terms.map(term => [term, term] as const)),
    )
    return matcher.replace(text, term => term)
  }

  /** Returns the glossary for a phrasebook: phrases by written language. */
  phrases(): Phrases {
    const phrases: Phrases = {}
    for (const entry of this.#settings.glossary)
      for (const [from, source] of Object.entries(entry))
        for (const [to, target] of Object.entries(entry)) {
          const [written, into] = [languageRow(from)?.written, languageRow(to)?.written]
          if (written === undefined || into === undefined || written === into) continue
          phrases[written] ??= {}
          phrases[written][into] ??= {}
          phrases[written][into][source] ??= target
        }
    return phrases
  }
}

/** Returns the term in exactly this language, else in another region of it. */
function termIn(entry: Readonly<Record<LanguageId, string>>, language: LanguageId): string | undefined {
  const same = Object.keys(entry).find(each => sameLanguage(each, language))
  return entry[language] ?? (same === undefined ? undefined : entry[same])
}

/** Joins an engine's own terms and those of the vocabulary, each once, up to the limit of its service. */
export function joinedTerms(own: readonly string[], terms: readonly string[], most: number): string[] {
  return Array.from(new Set([...own, ...terms])).slice(0, most)
}

function remembered<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}
