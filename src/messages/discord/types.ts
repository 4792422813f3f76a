import type { PermissionFlagsBits } from 'discord.js'

/**
 * Texts that the bot posts in a channel's chat unprompted, in one language. Values are escaped for Discord's Markdown.
 */
export interface ChannelWords {
  /** Start of the listening notice: user who started it, and channel. Storage and consent follow. */
  readonly listening: (by: string, channel: string) => string
  /** The same for newcomers. */
  readonly newcomers: (names: string, channel: string) => string
  /** Storage: neither sound nor text. */
  readonly keptNothing: string
  /** Storage of sound: none, on request, or always. */
  readonly notRecorded: string
  readonly recordedOnRequest: string
  readonly recorded: string
  /** Storage of text: until the end, or for longer. */
  readonly textUntilEnd: string
  readonly textLonger: string
  /** Members to listen to: all except members who opt out, members who opt in, or members with one of the roles. */
  readonly toOptOut: string
  readonly toOptIn: string
  readonly onlyRoles: (roles: string) => string
  readonly toSetLanguage: string
  readonly paused: (by: string, channel: string) => string
  /** Replaces it when interpreting continues. */
  readonly resumed: (channel: string) => string
  /** Replaces the notices above after the end. */
  readonly ended: (channel: string) => string
  readonly kicked: string
  /** Another part of the program has the bot's voice connection. */
  readonly taken: string
  readonly lost: string
  readonly encryption: string
  readonly permissions: string
  readonly empty: string
  /** On a stage, a moderator must first allow the bot to speak. */
  readonly askedToSpeak: string
  readonly muted: string
  readonly deafened: string
  readonly noSpeak: string
  /** People are speaking, but no audio arrives. */
  readonly noAudio: string
  readonly full: string
  readonly serviceUnavailable: string
  /** The service responds, but cannot translate these people at the moment. */
  readonly untranslated: (names: string) => string
  /** Replaces it after the recovery. */
  readonly serviceBack: string
  /** A microphone picks up its own speaker. */
  readonly headphones: (name: string) => string
  /** Name of the captions thread. */
  readonly thread: string
  /** Name of a phone without a name. */
  readonly telephone: string
}

/** Purpose of a permission. */
export type Purpose =
  /** Joining a voice channel and listening. */
  | 'listen'
  /** Speaking translations in a voice channel. */
  | 'speak'
  /** The same on a stage, where a moderator allows it. */
  | 'stage'
  /** Captions, notices and replies. */
  | 'write'
  /** Captions as embeds. */
  | 'embed'
  /** Captions in a separate thread. */
  | 'thread'
  /** Captions with the name and picture of their speaker. */
  | 'webhook'
  /** Marking its nickname while it listens (optional). */
  | 'show'

/** All permissions that the bot uses, with their purposes. It requests exactly these. */
export const USED = {
  ViewChannel: ['listen', 'write'],
  Connect: ['listen'],
  Speak: ['speak'],
  RequestToSpeak: ['stage'],
  SendMessages: ['write'],
  ReadMessageHistory: ['write'],
  EmbedLinks: ['embed'],
  CreatePublicThreads: ['thread'],
  SendMessagesInThreads: ['thread'],
  ChangeNickname: ['show'],
  ManageWebhooks: ['webhook'],
} as const satisfies Partial<Record<keyof typeof PermissionFlagsBits, readonly Purpose[]>>

export type UsedPermission = keyof typeof USED

/** All texts of the commands, in one language. A missing text is a compile-time error. */
export interface Words {
  readonly commands: CommandWords
  readonly answers: AnswerWords
}

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
    /** The same: in a channel, or in one that is not known. */
    readonly taken: (channel: string) => string
    readonly takenSomewhere: string
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
  readonly languagesUnavailable: string
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
    readonly paused: (channel: string) => string
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
    readonly notOptedIn: string
    readonly noRole: string
    readonly from: {
      readonly asked: string
      readonly remembered: string
      readonly locale: string
      readonly default: string
    }
    readonly more: (count: number) => string
    readonly unavailable: string
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
    /** With consent by opt-in, while no channel is interpreted. */
    readonly optedInLater: string
    readonly noRole: string
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
    readonly canceled: string
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

  // listen
  readonly listen: {
    readonly link: (url: string, minutes: number) => string
    /** There is no public address, or no talk page. */
    readonly off: string
  }

  // pause, resume
  readonly pause: {
    readonly paused: string
    readonly resumed: string
    readonly already: string
    readonly notPaused: string
  }

  // transcript
  readonly transcript: {
    readonly file: (count: number) => string
    readonly shortened: string
    readonly empty: string
    readonly off: string
  }

  /** Labels of buttons and of the language menu, up to 80 characters. */
  readonly buttons: {
    /** With consent by opt-in. */
    readonly agree: string
    readonly pause: string
    readonly resume: string
    readonly optOut: string
    readonly optIn: string
    readonly privacy: string
    readonly language: string
  }
}

/**
 * Name and description as Discord shows them: names in lower case, without spaces, up to 32 characters; descriptions up
 * to 100.
 */
export type Word = readonly [name: string, description: string]

/** The names and descriptions of `/interpret` in one language. */
export interface CommandWords {
  readonly interpret: Word
  readonly start: Word
  readonly stop: Word
  readonly language: Word
  readonly output: Word
  readonly captions: Word
  readonly status: Word
  readonly privacy: Word
  readonly info: Word
  readonly optOut: Word
  readonly optIn: Word
  readonly forget: Word
  readonly dial: Word
  readonly invite: Word
  readonly listen: Word
  readonly pause: Word
  readonly resume: Word
  readonly transcript: Word
  readonly options: {
    readonly channel: Word
    readonly captionsOnly: Word
    readonly roomCode: Word
    readonly language: Word
    readonly user: Word
    readonly remember: Word
    readonly first: Word
    readonly second: Word
    readonly style: Word
    readonly thread: Word
    readonly number: Word
    readonly theirLanguage: Word
    readonly format: Word
  }
  /** Caption styles, as choices. */
  readonly styles: Readonly<Record<'embed' | 'plain' | 'webhook' | 'off', string>>
  /** Formats of transcripts, as choices. */
  readonly formats: Readonly<Record<'text' | 'srt' | 'vtt', string>>
  /** Note for a language without speech recognition. */
  readonly readOnly: string
  /** The choice for automatic output. */
  readonly auto: string
}
