import { readFile } from 'node:fs/promises'
import { z } from 'zod'

/** A closed vocabulary: only what it allows is understood. */
export interface Grammar {
  readonly name: string
  /** JSpeech Grammar Format, version 1.0. */
  readonly jsgf: string
}

/** Grammars of the settings by name: phrases, a grammar as it is, or a file with one. */
export const grammarsSchema = z
  .record(
    z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'a name like cards: lower-case letters, digits and hyphens'),
    z
      .strictObject({
        phrases: z.array(z.string().min(1)).min(1).optional().meta({ about: 'What can be said, as a list.' }),
        jsgf: z.string().min(1).optional().meta({ about: 'What can be said, as a grammar (JSGF 1.0).' }),
        file: z.string().min(1).optional().meta({ about: 'A file with such a grammar.' }),
      })
      .refine(({ phrases, jsgf, file }) => [phrases, jsgf, file].filter(Boolean).length === 1, {
        message: 'one of phrases, jsgf and file',
      }),
  )
  .default({})
export type GrammarSettings = z.output<typeof grammarsSchema>

/** The grammars of the settings, files read. Rejects with a `RangeError` that names a file that cannot be read. */
export async function loadGrammars(settings: GrammarSettings): Promise<ReadonlyMap<string, Grammar>> {
  const loaded = await Promise.all(
    Object.entries(settings).map(async ([name, { phrases, jsgf, file }]) => {
      const text = phrases ? phraseGrammar(phrases) : (jsgf ?? (await contents(name, file!)))
      return [name, { name, jsgf: text }] as const
    }),
  )
  return new Map(loaded)
}

/** The grammar of whole phrases, one after the other. */
function phraseGrammar(phrases: readonly string[]): string {
  const plain = phrases.map(phrase =>
    phrase
      .toLowerCase()
      .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )
  return `#JSGF V1.0;\ngrammar phrases;\npublic <phrase> = ${plain.filter(phrase => phrase !== '').join(' | ')};\n`
}

async function contents(name: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new RangeError(`grammars.${name}.file is ${file}, which cannot be read`, { cause })
  }
}
