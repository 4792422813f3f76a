import type { LanguageId } from '../../../common/language.ts'

/** A translation engine. */
export interface TextTranslator {
  readonly name: string
  /** Target languages for `from`; empty for an unsupported language. */
  targets(from: LanguageId): readonly LanguageId[]
  /** Prepares for a language pair that will be used soon; a failure shows at `translate`. Optional. */
  prepare(from: LanguageId, to: LanguageId): void
  /**
   * Translates one utterance or sentence. Translations of one language pair resolve in the order of the calls. Rejects
   * with an `EngineError`; throws a `RangeError` for a pair that `targets` does not list.
   */
  translate(text: string, from: LanguageId, to: LanguageId): Promise<string>
  /** Frees the engine; pending translations reject. Idempotent. */
  close(): Promise<void>
}
