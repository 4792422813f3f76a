import type { UsedPermission } from '../../bridges/discord/commands/permissions.ts'

/**
 * Replies to users, in one language. Values are escaped names, channel mentions or numbers. Results are Discord's
 * Markdown.
 */
export interface AnswerWords {
  // All commands
  readonly onlyInServers: string
  /** The bot is not a member of the server; `url` adds it. */
  readonly notInvited: (url: string) => string
  readonly notThisServer: string
  readonly unknownCommand: string
  readonly failed: string
  readonly tooFast: (seconds: number) => string
  readonly notRunning: string
  /** Users who can change the running interpreter. */
  readonly notYours: string
  readonly moderatorsOnly: string

  // start
  readonly started: (channel: string, text: string) => string
  readonly startedCaptionsOnly: (channel: string, text: string) => string
  readonly runningHere: string
  readonly runningElsewhere: (channel: string) => string
  readonly joinFirst: string
  readonly beThere: (channel: string) => string
  readonly noVoiceChannel: (channel: string) => string
  readonly notAllowedThere: (channel: string) => string
  readonly restChannel: (channel: string) => string
  readonly channelFull: (channel: string, limit: number) => string
  /** `permissions`: one per line. */
  readonly missing: (channel: string, permissions: string) => string
  readonly giveThem: (role: string) => string
  /** Follows `giveThem`: interpreting starts without these permissions. */
  readonly withoutThem: string
  readonly timedOut: string
  readonly noThreadHere: string
  readonly wrongCode: string
  readonly tooManyCodes: string
  readonly noCapacity: string
  readonly ends: {
    readonly kicked: string
    readonly permissions: string
    readonly channelGone: string
    readonly encryption: string
    readonly refused: (code: number) => string
    readonly unreachable: (attempts: number) => string
    readonly closing: string
    readonly other: string
  }
  readonly permissions: Readonly<Record<UsedPermission, string>>

  // stop
  readonly stopped: (channel: string) => string

  // language
  readonly languageIs: (language: string) => string
  readonly languageOf: (name: string, language: string) => string
  readonly keptUntilRestart: string
  readonly remembered: string
  readonly notUnderstood: (language: string) => string
  readonly unknownLanguage: (text: string) => string
  readonly perhaps: (languages: string) => string
  readonly languagesAway: string
  readonly stillOptedOut: string

  // output
  readonly outputAuto: string
  readonly outputIs: (languages: string) => string
  readonly noVoice: (language: string) => string

  // captions
  readonly captionsAre: (style: string) => string
  readonly captionsOff: string
  readonly inThread: string
  readonly captionsFailed: string

  // status
  readonly status: {
    readonly joining: (channel: string) => string
    readonly listening: (channel: string) => string
    readonly reconnecting: (channel: string) => string
    readonly since: (time: string) => string
    readonly encrypted: string
    readonly notEncrypted: string
    readonly output: (output: string) => string
    readonly auto: string
    readonly spoken: (languages: string) => string
    readonly written: (languages: string) => string
    readonly nothing: string
    readonly captions: (style: string, channel: string) => string
    readonly speakers: string
    readonly nobody: string
    readonly optedOut: string
    readonly from: {
      readonly asked: string
      readonly remembered: string
      readonly locale: string
      readonly default: string
    }
    readonly more: (count: number) => string
    readonly away: string
  }

  // privacy
  readonly privacy: {
    /** Describes how voices are processed, in one paragraph. */
    readonly info: string
    readonly nothingKept: string
    readonly keptLanguage: (language: string) => string
    readonly sessionLanguage: (language: string) => string
    readonly youOptedOut: string
    readonly optedOut: string
    readonly optedIn: string
    readonly forgotten: string
  }

  // dial
  readonly dial: {
    readonly off: string
    readonly notYou: string
    readonly noNumber: string
    readonly calling: string
    /** For everyone in the channel. */
    readonly announced: (name: string, language: string) => string
    readonly joined: string
    readonly answered: string
    readonly busy: string
    readonly noAnswer: string
    readonly voicemail: string
    readonly cancelled: string
    readonly callFailed: string
    readonly refused: string
    readonly capacity: string
  }

  // invite
  readonly invite: {
    readonly byPhone: (numbers: string, code: string) => string
    readonly byDiscord: (code: string) => string
    readonly goodFor: (minutes: number) => string
    readonly noCodes: string
  }

  /** Button labels, up to 80 characters. */
  readonly buttons: { readonly optOut: string; readonly optIn: string; readonly privacy: string }
}
