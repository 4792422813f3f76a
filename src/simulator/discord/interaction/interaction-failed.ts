/** Why somebody got no answer: what Discord's own client would show them. */
export type InteractionFailure =
  /** Nothing within 3 s, or a deferral that never became an answer: "The application did not respond". */
  | 'no-response'
  /** The command is not registered, or its options are not those that were registered. */
  | 'unknown-command'
  | 'invalid-option'
  /** The command is hidden from this member, or this channel is. */
  | 'not-allowed'
  /** A button that is not there, or is disabled. */
  | 'unknown-component'
  /** The answer to autocomplete was none. */
  | 'no-choices'

export class InteractionFailed extends Error {
  readonly code: InteractionFailure

  constructor(code: InteractionFailure, message: string) {
    super(message)
    this.name = 'InteractionFailed'
    this.code = code
  }
}
