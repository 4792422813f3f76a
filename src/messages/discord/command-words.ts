/**
 * Name and description as Discord shows them: names in lower case, without spaces, up to 32 characters; descriptions up
 * to 100.
 */
export type Word = readonly [name: string, description: string]

/** The names and descriptions of `/interpret` in one language. */
export interface CommandWords {
  readonly interpret: Word
  readonly start: Word
  readonly stop: Word
  readonly language: Word
  readonly output: Word
  readonly captions: Word
  readonly status: Word
  readonly privacy: Word
  readonly info: Word
  readonly optOut: Word
  readonly optIn: Word
  readonly forget: Word
  readonly dial: Word
  readonly invite: Word
  readonly options: {
    readonly channel: Word
    readonly captionsOnly: Word
    readonly roomCode: Word
    readonly language: Word
    readonly user: Word
    readonly remember: Word
    readonly first: Word
    readonly second: Word
    readonly style: Word
    readonly thread: Word
    readonly number: Word
    readonly theirLanguage: Word
  }
  /** Caption styles, as choices. */
  readonly styles: { readonly embed: string; readonly plain: string; readonly off: string }
  /** Note for a language without speech recognition. */
  readonly readOnly: string
  /** The choice for automatic output. */
  readonly auto: string
}
