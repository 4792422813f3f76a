/** Reason why an interaction got no answer, as Discord's own client shows it. */
export type InteractionFailure =
  /** No response within 3 s, or a deferral without an answer: "The application did not respond". */
  | 'no-response'
  /** The command is not registered, or its options differ from the registered ones. */
  | 'unknown-command'
  | 'invalid-option'
  /** The command or the channel is hidden from this member. */
  | 'not-allowed'
  /** A button that does not exist or is disabled. */
  | 'unknown-component'
  /** The autocomplete response was invalid. */
  | 'no-choices'

export class InteractionFailed extends Error {
  readonly code: InteractionFailure

  constructor(code: InteractionFailure, message: string) {
    super(message)
    this.name = 'InteractionFailed'
    this.code = code
  }
}
