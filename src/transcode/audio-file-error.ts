/** What is wrong with an audio file. */
export type AudioFileFault =
  /** It contradicts itself, or its sound cannot be decoded. */
  | 'DAMAGED'
  /** It ends before its sound does. */
  | 'TRUNCATED'
  /** Its coding, channels or structure cannot be read here. */
  | 'UNSUPPORTED'
  /** Its sound is longer than allowed. */
  | 'TOO_LONG'

/** An audio file that cannot be used. The message is for people and names what was found. */
export class AudioFileError extends Error {
  readonly code: AudioFileFault

  constructor(code: AudioFileFault, message: string, options?: { cause: unknown }) {
    super(message, options)
    this.name = 'AudioFileError'
    this.code = code
  }
}
