import type { LanguageId } from '../../../common/language.ts'
import type { TextTranslator } from '../engines/text-translator.ts'
import { ServiceError } from '../service-error.ts'
import type { JobContext } from './job-limits.ts'
import { linesOfSentences } from './sentences.ts'

/** A language pair and the engine that translates it. */
export interface Translation {
  readonly translator: TextTranslator
  readonly source: LanguageId
  readonly target: LanguageId
}

/**
 * Translates `text` sentence by sentence and keeps its lines. Throws `translation_failed`, or the reason of `signal`.
 */
export async function translated(
  text: string,
  { translator, source, target }: Translation,
  { calm, signal }: Pick<JobContext, 'calm' | 'signal'>,
): Promise<string> {
  const lines: string[] = []
  for (const sentences of linesOfSentences(text)) {
    const line: string[] = []
    for (const sentence of sentences) {
      await calm()
      line.push(await attempt(() => translator.translate(sentence, source, target)))
      signal.throwIfAborted()
    }
    lines.push(line.filter(Boolean).join(' '))
  }
  return lines.join('\n').trim()
}

async function attempt(translate: () => Promise<string>): Promise<string> {
  try {
    return await translate()
  } catch (cause) {
    throw new ServiceError('translation_failed', 'the translation engine failed', { cause })
  }
}
