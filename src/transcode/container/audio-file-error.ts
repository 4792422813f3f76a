/** Reason why an audio file is rejected. */
export type AudioFileFault =
  /** It is inconsistent, or its audio cannot be decoded. */
  | 'DAMAGED'
  /** It ends before its audio does. */
  | 'TRUNCATED'
  /** Its encoding, channels or structure is not supported. */
  | 'UNSUPPORTED'
  /** Its audio is longer than allowed. */
  | 'TOO_LONG'

/** An unusable audio file. The message is human-readable and names the value found. */
export class AudioFileError extends Error {
  readonly code: AudioFileFault

  constructor(code: AudioFileFault, message: string, options?: { cause: unknown }) {
    super(message, options)
    this.name = 'AudioFileError'
    this.code = code
  }
}
