/** Counts of commands and their outcomes. */
export class CommandCounters {
  commands = 0
  buttons = 0
  autocompletes = 0
  answered = 0
  /** Not understood: from an older or newer definition. */
  unknown = 0
  /** Rejected by the rate limit of a user or a guild. */
  limited = 0
  /** The interaction expired before the reply. */
  expired = 0
  /** Failed because of an error on our side or Discord's. */
  failed = 0
  /** Registrations of an absent or outdated command, and failed ones. */
  registrations = 0
  registrationsFailed = 0
}
