import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { DeepReadonly } from '../../../../common/setting-fields.ts'

/** A closed vocabulary: only its phrases are recognized. */
export interface Grammar {
  readonly name: string
  /** JSpeech Grammar Format, version 1.0. */
  readonly jsgf: string
}

/** Grammars of the settings by name: phrases, or a grammar file. */
export const grammarsSchema = z
  .record(
    z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'a name like cards: lower-case letters, digits and hyphens'),
    z
      .strictObject({
        phrases: z
          .array(z.string().min(1))
          .min(1)
          .optional()
          .meta({ about: 'Phrases that are recognized, as a list.' }),
        file: z.string().min(1).optional().meta({ about: 'Path of a grammar file (JSGF 1.0).' }),
      })
      .refine(({ phrases, file }) => (phrases === undefined) !== (file === undefined), {
        message: 'either phrases or file',
      }),
  )
  .default({})
type GrammarSettings = DeepReadonly<z.infer<typeof grammarsSchema>>

/** Loads the grammars of the settings, including files. Rejects with a `RangeError` that names an unreadable file. */
export async function loadGrammars(settings: GrammarSettings): Promise<ReadonlyMap<string, Grammar>> {
  const loaded = await Promise.all(
    Object.entries(settings).map(async ([name, { phrases, file }]) => {
      const text = phrases ? phraseGrammar(phrases) : await contents(name, file!)
      return [name, { name, jsgf: text }] as const
    }),
  )
  return new Map(loaded)
}

/** Builds a grammar of whole phrases, one after the other. */
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
