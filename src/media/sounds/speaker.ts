import type { LanguageId } from '../../common/language.ts'

/** A source of speech, such as a translation service. Every call can reject or take long. */
export interface Speaker {
  /** Speaks `text` in `language`, as 16 kHz mono. */
  speak(text: string, language: LanguageId): Promise<Int16Array>
  /** Translates `text`. */
  translate(text: string, from: LanguageId, to: LanguageId): Promise<string>
}
