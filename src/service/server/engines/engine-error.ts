/** The three kinds of engine. */
export type EngineKind = 'transcription' | 'translation' | 'synthesis'

/** An engine is not installed, or failed. Never contains a speaker's text or audio. */
export class EngineError extends Error {
  readonly kind: EngineKind
  /** Name of the engine, as in `/health`. */
  readonly engine: string

  constructor(kind: EngineKind, engine: string, message: string, options?: { cause?: unknown }) {
    super(`${engine}: ${message}`, options)
    this.name = 'EngineError'
    this.kind = kind
    this.engine = engine
  }
}
