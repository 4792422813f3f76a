/** Name and description as Discord shows them: names in lower case, without blanks, up to 32 characters; descriptions up to 100. */
export type Word = readonly [name: string, description: string]

/** `/interpret` with all that belongs to it, in one language. */
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
  /** How captions look, as choices. */
  readonly styles: { readonly embed: string; readonly plain: string; readonly off: string }
  /** Of a language that is not recognised when it is spoken. */
  readonly readOnly: string
  /** The choice that leaves the output to what is spoken. */
  readonly auto: string
}
