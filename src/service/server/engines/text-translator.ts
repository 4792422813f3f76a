import type { LanguageId } from '../../../core/languages.ts'

/** An engine that translates text. */
export interface TextTranslator {
  readonly name: string
  /** Languages it translates `from` into; empty for a language it does not know. */
  targets(from: LanguageId): readonly LanguageId[]
  /** Gets ready for a pair that will soon be asked for; a failure shows at `translate`. May do nothing. */
  prepare(from: LanguageId, to: LanguageId): void
  /**
   * One utterance or sentence. Answers come in the order of the calls for one pair of languages.
   * Rejects with an `EngineError`; a pair that `targets` does not list throws a `RangeError`.
   */
  translate(text: string, from: LanguageId, to: LanguageId): Promise<string>
  /** Frees the engine; pending translations reject. Idempotent. */
  close(): Promise<void>
}
