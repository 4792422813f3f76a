/**
 * A sound that the system plays to a participant: spoken notice, tone or file. 16 kHz mono linear16, complete in
 * memory, shared between listeners and immutable.
 */
export interface Sound {
  /** For events and logs: `notice busy es-es`, `tone ringback`; never the spoken text. */
  readonly name: string
  readonly pcm: Int16Array
  /** The spoken text for captions, in the language of the sound. */
  readonly text?: string
  /** Repeats until it is stopped. */
  readonly loop?: boolean
}
