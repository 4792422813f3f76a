import { z } from 'zod'
import { type LanguageId, sameLanguage } from '../../../common/language.ts'
import type { DeepReadonly } from '../../../common/setting-fields.ts'
import { languageSchema } from '../definition.ts'
import type { GlossaryEntry } from '../engine.ts'
import { languageRow } from '../languages.ts'
import type { Phrases } from './phrasebook.ts'
import { WordMatcher } from './word-matcher.ts'

/** Services reject keywords with line breaks or angle brackets, and longer ones. */
const wordsSchema = z
  .string()
  .trim()
  .min(1)
  .max(50)
  .regex(/^[^<>\p{Cc}]*$/u, 'one line without < and >')
  .describe('up to 50 letters in one line')

export const vocabularySchema = z.strictObject({
  terms: z
    .array(wordsSchema)
    .max(500)
    .default([])
    .meta({ about: 'Names and terms to expect in any language, in the spelling to use.' }),
  glossary: z
    .array(
      z
        .record(languageSchema, wordsSchema)
        .refine(entry => Object.keys(entry).length > 1, 'expected the term in at least two languages'),
    )
    .max(500)
    .default([])
    .meta({ about: 'Fixed translations: a term by language, like `{ en-us: invoice, es-es: factura }`.' }),
  about: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .optional()
    .meta({ about: 'Topic of the calls in a few words, for engines that can use it.' }),
})

export type VocabularySettings = DeepReadonly<z.infer<typeof vocabularySchema>>

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

function remembered<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}
