/**
 * Something the system itself plays to one party: a spoken notice, a tone, a file. 16 kHz mono linear16, whole in
 * memory, shared by everybody who hears it: never changed once made.
 */
export interface Sound {
  /** For events and logs: `notice busy es-es`, `tone ringback`; never the words themselves. */
  readonly name: string
  readonly pcm: Int16Array
  /** Words that are to be read as well, in the language in which they are spoken. */
  readonly text?: string
  /** Begins again when it has ended, until it is stopped. */
  readonly loop?: boolean
}
