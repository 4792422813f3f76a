import { z } from 'zod'
import { type LanguageId, primaryLanguage } from '../../../common/language.ts'
import type { CommitMode } from './clause-committer.ts'

const modeSchema = z.enum(['clause', 'sentence', 'utterance'])

/** When recognized speech is translated and spoken. */
export const simultaneousSchema = z.strictObject({
  mode: modeSchema.default('clause').meta({
    about:
      '`clause`: translations are spoken while the speaker still speaks; `sentence`: after each sentence; `utterance`: after a pause. Languages that end with the verb (de, nl, ja, ko, tr, hi) use `sentence` instead of `clause`.',
  }),
  pairs: z
    .record(z.string().regex(/^[a-z]{2,3}-[a-z]{2,3}$/, 'expected two languages like en-es'), modeSchema)
    .default({})
    .meta({ about: 'Modes of language pairs, like `de-en`: they precede `mode`.' }),
})

export type SimultaneousSettings = Readonly<z.infer<typeof simultaneousSchema>>

/** Source languages whose clauses cannot be translated before their end. */
const VERB_LAST = ['de', 'nl', 'ja', 'ko', 'tr', 'hi']

/** Returns the mode of a language pair. */
export function modeOf({ mode, pairs }: SimultaneousSettings, from: LanguageId, to: LanguageId): CommitMode {
  const source = primaryLanguage(from)
  const chosen = pairs[`${source}-${primaryLanguage(to)}`]
  if (chosen) return chosen
  return mode === 'clause' && VERB_LAST.includes(source) ? 'sentence' : mode
}
