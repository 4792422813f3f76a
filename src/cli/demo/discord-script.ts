import type { LanguageId } from '../../common/language.ts'

/** Somebody in the voice channel. */
export interface Speaker {
  readonly name: string
  readonly language: LanguageId
  /** What their Discord client is set to. */
  readonly locale: 'en-US' | 'es-ES'
}

export const SPEAKERS = {
  john: { name: 'John', language: 'en-us', locale: 'en-US' },
  mary: { name: 'Mary', language: 'en-us', locale: 'en-US' },
  ana: { name: 'Ana', language: 'es-es', locale: 'es-ES' },
} as const satisfies Record<string, Speaker>
export type SpeakerKey = keyof typeof SPEAKERS

export interface Turn {
  readonly by: SpeakerKey
  /** A bundled recording, by its number; absent: the embedded voice says the text. */
  readonly recording?: number
  readonly text: string
}

/** What they talk about: John and Mary read from a book (one reader lent both the voice), Ana asks. */
export const TURNS: readonly Turn[] = [
  { by: 'john', recording: 2, text: 'He was not an ill-disposed young man.' },
  { by: 'ana', text: '¿Y su mujer es amable?' },
  { by: 'mary', recording: 5, text: 'He might even have been made amiable himself.' },
]
