import type { LanguageId } from '../core/languages.ts'

/** What makes speech out of words; a translation service can. Every call may reject, and may take its time. */
export interface Speaker {
  /** `text`, which is in `language`, as 16 kHz mono. */
  speak(text: string, language: LanguageId): Promise<Int16Array>
  /** `text` in another language. */
  translate(text: string, from: LanguageId, to: LanguageId): Promise<string>
}
