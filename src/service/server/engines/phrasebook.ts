import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { LanguageId } from '../../../common/language.ts'
import { DEFAULT_PHRASES } from './default-phrases.ts'
import { languageRow } from './language-ids.ts'

/**
 * Phrases by written source language, written target language and source text: `{ "en": { "es": { "hello": "Hola." } }
 * }`.
 */
const phrasesSchema = z.record(
  z.string(),
  z.record(z.string(), z.record(z.string().min(1), z.string().min(1))),
)
export type Phrases = z.infer<typeof phrasesSchema>

/**
 * Translations of whole phrases, consulted before the translator. The user's own have precedence over the built-in
 * ones.
 */
export class Phrasebook {
  readonly #pairs = new Map<string, Map<string, string>>()

  constructor(...layers: readonly Phrases[]) {
    for (const phrases of layers)
      for (const [from, targets] of Object.entries(phrases))
        for (const [to, entries] of Object.entries(targets)) this.#add(`${from} ${to}`, entries)
  }

  /**
   * Loads the built-in phrases, overridden by those of the JSON file `path`. Rejects with an error that names the file
   * and the key.
   */
  static async load(path?: string): Promise<Phrasebook> {
    if (path === undefined) return new Phrasebook(DEFAULT_PHRASES)
    const parsed = phrasesSchema.safeParse(JSON.parse(await readFile(path, 'utf8')))
    if (!parsed.success) throw new RangeError(`phrasebook ${path}: ${z.prettifyError(parsed.error)}`)
    return new Phrasebook(DEFAULT_PHRASES, parsed.data)
  }

  /** Returns the translation if `text` consists entirely of one or more phrases. */
  lookup(text: string, from: LanguageId, to: LanguageId): string | undefined {
    const entries = this.#pairs.get(`${languageRow(from)?.written} ${languageRow(to)?.written}`)
    return entries && cover(plain(text).split(' '), entries)
  }

  #add(pair: string, entries: Readonly<Record<string, string>>): void {
    const known = this.#pairs.get(pair) ?? new Map<string, string>()
    this.#pairs.set(pair, known)
    for (const [phrase, translation] of Object.entries(entries)) known.set(plain(phrase), translation)
  }
}

/** Matches the longest phrase at the start, then the rest by the same rule; undefined unless all words are covered. */
function cover(words: readonly string[], entries: ReadonlyMap<string, string>): string | undefined {
  for (let count = words.length; count > 0; count--) {
    const first = entries.get(words.slice(0, count).join(' '))
    if (first === undefined) continue
    if (count === words.length) return first
    const rest = cover(words.slice(count), entries)
    return rest === undefined ? undefined : `${first} ${rest}`
  }
  return undefined
}

/** Lower case, no punctuation except the apostrophe, single blanks. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
