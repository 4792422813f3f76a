/** Names, terms and fixed translations of the calls. Light: the configuration loads it. */
import { z } from 'zod'
import type { DeepReadonly } from '../../../common/setting-fields.ts'
import { languageSchema } from '../fields.ts'

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
