/** What was asked for by commands, and what became of it. */
export class CommandCounters {
  commands = 0
  buttons = 0
  autocompletes = 0
  answered = 0
  /** Not understood: of an older or newer list. */
  unknown = 0
  /** Too much at once, by a user or a guild. */
  limited = 0
  /** The interaction was gone before the answer came. */
  expired = 0
  /** By a fault of ours or of Discord's. */
  failed = 0
  /** Times the command was registered, since it was not as it should be, and times that failed. */
  registrations = 0
  registrationsFailed = 0
}
