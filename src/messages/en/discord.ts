import type { TextsLike } from '../texts.ts'

/** All texts of Discord. Values are escaped for Discord’s Markdown. */
export const DISCORD = {
  /** Posted in a channel’s chat unprompted. */
  channel: {
    /** Start of the listening notice: user who started it, and channel. Storage and consent follow. */
    listening: (by: string, channel: string) =>
      `🔴 **Live interpreting in ${channel}**, started by ${by}. Speech there is sent to a translation service and shown as captions.`,
    /** The same for newcomers. */
    newcomers: (names: string, channel: string) =>
      `🔴 ${names}: speech in ${channel} is sent to a translation service and shown as captions.`,
    /** Storage: neither sound nor text. */
    keptNothing: 'Nothing is recorded or kept.',
    /** Storage of sound: none, on request, or always. */
    notRecorded: 'Nothing is recorded.',
    recordedOnRequest: 'The conversation can be recorded on request.',
    recorded: 'The conversation is recorded.',
    /** Storage of text: until the end, or for longer. */
    textUntilEnd: 'The text is kept until interpreting ends, for `/interpret transcript`.',
    textLonger: 'The text is kept, also after interpreting ends.',
    /** Members to listen to: all except members who opt out, members who opt in, or members with one of the roles. */
    toOptOut: 'To opt out, press the button or type `/interpret privacy opt-out`: it works immediately.',
    toOptIn:
      'I listen only to people who agree: press the button or type `/interpret privacy opt-in`. Until then, your voice is not sent. You can withdraw at any time.',
    onlyRoles: (roles: string) =>
      `I listen only to members with ${roles}. If you are one of them and want to opt out, press the button or type \`/interpret privacy opt-out\`.`,
    toSetLanguage: 'To set your language, type `/interpret language`.',
    paused: (by: string, channel: string) =>
      `⏸ ${by} paused interpreting in ${channel}. I am not listening to anyone.`,
    /** Replaces it when interpreting continues. */
    resumed: (channel: string) => `▶ Interpreting in ${channel} continues.`,
    /** Replaces the notices above after the end. */
    ended: (channel: string) => `⚪ Interpreting in ${channel} has ended. I am no longer listening.`,
    kicked: 'I was disconnected, so I stopped.',
    /** Another part of the program has the bot's voice connection. */
    taken: 'Another part of this bot uses its voice here now, so I stopped interpreting.',
    lost: 'I lost the voice connection and could not restore it, so I stopped.',
    encryption: 'Encryption with Discord failed, so I stopped.',
    permissions: 'I no longer have access to this channel, so I stopped.',
    empty: 'Everyone left, so I stopped.',
    /** On a stage, a moderator must first allow the bot to speak. */
    askedToSpeak: 'I asked to speak on this stage. Until a moderator allows it, there are only captions.',
    muted: 'I am muted, so there are only captions.',
    deafened: 'I am deafened, so I cannot hear or translate anyone.',
    noSpeak: 'I am not allowed to speak in this channel, so there are only captions.',
    /** People are speaking, but no audio arrives. */
    noAudio:
      'People are speaking, but no audio arrives. The operator of this bot should check whether UDP is blocked.',
    full: 'There are more people here than I can listen to. Some are not translated.',
    serviceUnavailable:
      '⚠️ The translation service is unavailable. I keep trying; until then, there are no captions.',
    /** The service responds, but cannot translate these people at the moment. */
    untranslated: (names: string) =>
      `⚠️ I cannot translate everyone at the moment. Missing: ${names}. I keep trying.`,
    /** Replaces it after the recovery. */
    serviceBack: 'The translation service was unavailable for a while. It is back.',
    /** A microphone picks up its own speaker. */
    headphones: (name: string) => `${name}, your microphone picks up what I say. Please use headphones.`,
    /** Name of the captions thread. */
    thread: 'Captions',
    /** Name of a phone without a name. */
    telephone: 'phone',
  },
  /**
   * Names and descriptions of `/interpret` as Discord shows them: names in lower case, without spaces, up to 32
   * characters; descriptions up to 100.
   */
  commands: {
    interpret: ['interpret', 'Live interpreting in a voice channel: everyone speaks their own language'],
    start: ['start', 'Start interpreting a voice channel'],
    stop: ['stop', 'Stop interpreting'],
    language: ['language', 'Set the language you speak and read'],
    output: ['output', 'Choose the languages spoken in the channel'],
    captions: ['captions', 'Choose the style and place of captions'],
    status: ['status', 'Show the interpreted channel, its languages and people'],
    privacy: ['privacy', 'Show how your voice is processed, and opt out'],
    info: ['info', 'Show how your voice is processed and what is stored about you'],
    optOut: ['opt-out', 'Stop listening to me, now and in the future'],
    optIn: ['opt-in', 'Listen to me again'],
    forget: ['forget', 'Delete everything stored about you'],
    dial: ['dial', 'Call a phone into the conversation'],
    invite: ['invite', 'Get a code for others to join the conversation'],
    listen: ['listen', 'Get a link to hear this in any language in a browser'],
    pause: ['pause', 'Pause interpreting; the bot stays in the channel'],
    resume: ['resume', 'Continue interpreting after a pause'],
    transcript: ['transcript', 'Get the conversation so far in your language, as a private file'],
    options: {
      channel: ['channel', 'Voice channel (default: the one you are in)'],
      captionsOnly: ['captions-only', 'Write captions without speaking in the channel'],
      roomCode: ['room-code', 'Code of the conversation to join'],
      language: ['language', 'Start typing its name'],
      user: ['user', 'Another member (moderators only)'],
      remember: ['remember', 'Remember it for next time (default: no)'],
      first: ['first', 'A language, or automatic'],
      second: ['second', 'Another language'],
      style: ['style', 'Caption style'],
      thread: ['thread', 'Put captions in a separate thread'],
      number: ['number', 'Phone number, like +12125550123'],
      theirLanguage: ['language', 'Language of the person on the phone'],
      format: ['format', 'Format of the file (default: text)'],
    },
    /** Caption styles, as choices. */
    styles: {
      embed: 'In color',
      plain: 'Plain text',
      webhook: 'With name and picture of the speaker',
      off: 'No captions',
    },
    /** Formats of transcripts, as choices. */
    formats: { text: 'Text', srt: 'Subtitles (SRT)', vtt: 'Subtitles (WebVTT)' },
    /** Note for a language without speech recognition. */
    readOnly: 'listening and reading only',
    /** The choice for automatic output. */
    auto: 'Automatic: based on the people in the channel',
  },
  /** Replies to users: values are names, channel mentions or numbers. */
  replies: {
    // All commands
    onlyInServers: 'This works only in servers.',
    /** The bot is not a member of the server; `url` adds it. */
    notInvited: (url: string) =>
      `I am not a member of this server: only my commands are installed. Ask someone who can manage the server to add me as a bot: ${url}`,
    notThisServer: 'I am not set up for this server.',
    unknownCommand: 'Unknown command. Discord may be showing an outdated list: restart it and try again.',
    failed: 'Something went wrong on our side. Please try again in a moment.',
    tooFast: (seconds: number) => `Too many requests. Please wait ${seconds} s.`,
    notRunning: 'Nothing is being interpreted here. To start, use `/interpret start`.',
    /** Users who can change the running interpreter. */
    notYours:
      'Only people in that voice channel, the person who started it, and members who can manage channels can change that.',
    moderatorsOnly: 'Only members who can mute members or manage channels can do that for others.',

    // start
    started: (channel: string, text: string) =>
      `Interpreting ${channel}. Speak your own language; captions are in ${text}. To set your language, use \`/interpret language\`.`,
    startedCaptionsOnly: (channel: string, text: string) =>
      `Writing captions for ${channel} in ${text}, without speaking. To set your language, use \`/interpret language\`.`,
    runningHere: 'This channel is already being interpreted.',
    runningElsewhere: (channel: string) =>
      `I am already interpreting ${channel}, and can be in only one channel per server. To stop there, use \`/interpret stop\`.`,
    joinFirst: 'Join a voice channel first, or name one.',
    beThere: (channel: string) =>
      `Join ${channel} first. Only members who can manage channels can start it from outside.`,
    noVoiceChannel: (channel: string) => `${channel} is not a voice channel.`,
    notAllowedThere: (channel: string) => `You don’t have permission to join ${channel}.`,
    restChannel: (channel: string) => `${channel} is the inactive channel, where members cannot speak.`,
    channelFull: (channel: string, limit: number) =>
      `${channel} is full (${limit}). Raise its user limit, or allow me to move members.`,
    /** `permissions`: one per line. */
    missing: (channel: string, permissions: string) =>
      `In ${channel}, I need these permissions:\n${permissions}`,
    giveThem: (role: string) =>
      `Someone who manages the server can grant them: edit the channel, Permissions, role **${role}**.`,
    /** Follows `giveThem`: interpreting starts without these permissions. */
    withoutThem: 'Until then, captions work without them.',
    timedOut: 'A moderator timed me out. Until that ends, I can neither write nor speak.',
    noThreadHere: 'The chat of a voice channel has no threads, so captions go to the chat itself.',
    wrongCode: 'No conversation has this code. Codes expire; ask for a new one.',
    tooManyCodes: 'Too many wrong codes. Please wait a few minutes.',
    noCapacity: 'All conversation slots are in use. Please try again later.',
    ends: {
      kicked: 'A moderator disconnected me while I was joining.',
      /** The same: in a channel, or in one that is not known. */
      taken: (channel: string) =>
        `Another part of this bot, such as music, is using its voice in ${channel}. End that first: I can be in only one voice channel.`,
      takenSomewhere:
        'Another part of this bot, such as music, is using its voice in this server. End that first: I can be in only one voice channel.',
      permissions: 'I could not join: a permission is missing.',
      channelGone: 'The channel no longer exists.',
      encryption: 'Encryption with Discord failed, so I left. Please try again in a moment.',
      refused: (code: number) => `Discord refused the connection (code ${code}).`,
      unreachable: (attempts: number) =>
        `No voice connection after ${attempts} attempts. Try again, or choose another region for the channel.`,
      closing: 'I am restarting. Please try again in a minute.',
      other: 'Interpreting ended right after it started.',
    },
    permissions: {
      ViewChannel: 'View Channel',
      Connect: 'Connect',
      Speak: 'Speak',
      RequestToSpeak: 'Request to Speak',
      SendMessages: 'Send Messages',
      EmbedLinks: 'Embed Links',
      ReadMessageHistory: 'Read Message History',
      CreatePublicThreads: 'Create Public Threads',
      SendMessagesInThreads: 'Send Messages in Threads',
      ChangeNickname: 'Change Nickname',
      ManageWebhooks: 'Manage Webhooks',
    },

    // stop
    stopped: (channel: string) => `Stopped interpreting ${channel}.`,

    // language
    languageIs: (language: string) => `Your language is **${language}**.`,
    languageOf: (name: string, language: string) => `The language of ${name} is **${language}**.`,
    keptUntilRestart: 'I keep it until I restart; with `remember`, longer.',
    remembered: 'I will remember it. To delete it, use `/interpret privacy forget`.',
    notUnderstood: (language: string) =>
      `You can hear and read ${language} here, but I cannot recognize it: speech in this language is not translated.`,
    unknownLanguage: (text: string) => `“${text}” is not a language I know.`,
    perhaps: (languages: string) => `Try: ${languages}`,
    languagesUnavailable:
      'I cannot get the languages of the translation service. Please try again in a moment.',
    stillOptedOut:
      'You have opted out, so I am not listening to you. To opt in, use `/interpret privacy opt-in`.',

    // output
    outputAuto:
      'The spoken languages follow the people in the channel. With two languages, both are spoken; otherwise, see `/interpret status`.',
    outputIs: (languages: string) => `Spoken in the channel: **${languages}**. Everyone else gets captions.`,
    noVoice: (language: string) => `No voice is available for ${language}.`,

    // captions
    captionsAre: (style: string) => `Captions: **${style}**.`,
    captionsOff: 'Captions are off.',
    inThread: 'They go to a separate thread.',
    captionsFailed: 'That did not work: I am not allowed to write there.',

    status: {
      joining: (channel: string) => `**Joining ${channel} …**`,
      listening: (channel: string) => `🔴 **Interpreting ${channel}**`,
      reconnecting: (channel: string) => `**Connection to ${channel} lost. Reconnecting …**`,
      paused: (channel: string) => `⏸ **Interpreting ${channel} is paused**`,
      since: (time: string) => `Started ${time}`,
      encrypted: 'End-to-end encrypted on Discord',
      notEncrypted: 'Not end-to-end encrypted',
      output: (output: string) => `Output: ${output}`,
      auto: 'automatic',
      spoken: (languages: string) => `Spoken now: ${languages}`,
      written: (languages: string) => `Captions now: ${languages}`,
      nothing: 'nothing',
      captions: (style: string, channel: string) => `Captions: ${style}, in ${channel}`,
      speakers: 'People:',
      nobody: 'No one is in the channel.',
      optedOut: 'opted out',
      notOptedIn: 'has not agreed yet',
      noRole: 'does not have the role',
      from: {
        asked: 'set by a command',
        remembered: 'remembered',
        locale: 'from their Discord settings',
        default: 'assumed',
      },
      more: (count: number) => `and ${count} more`,
      unavailable: '⚠️ The translation service is unavailable. I keep trying.',
    },

    privacy: {
      /** Describes how voices are processed, in one paragraph. */
      info: 'While a channel is being interpreted, its voices are sent to a translation service, which recognizes and translates them. Captions are ordinary messages and stay in the chat until they are deleted. You can opt out at any time with `/interpret privacy opt-out`: from then on, I receive none of your audio.',
      nothingKept: 'I store nothing about you.',
      keptLanguage: (language: string) => `I remember your language: ${language}.`,
      sessionLanguage: (language: string) => `I know your language until I restart: ${language}.`,
      youOptedOut: 'I remember that you opted out.',
      optedOut:
        'I no longer listen to you, in this or any other server. You still hear and read the others. To opt in again, use `/interpret privacy opt-in`.',
      optedIn: 'You are being interpreted.',
      /** With consent by opt-in, while no channel is interpreted. */
      optedInLater:
        'Your opt-out is deleted. Here, I listen only to people who agree: press the button in the notice once a channel is interpreted.',
      noRole: 'On this server, only members with a certain role are interpreted, and you do not have it.',
      forgotten:
        'Everything I stored about you is deleted, including your opt-out, if there was one. Captions are messages: delete them yourself, or ask a moderator.',
    },

    dial: {
      off: 'Phone calls are not set up on this server.',
      notYou:
        'You are not allowed to call phones: that requires a certain role, or permission to manage the server.',
      noNumber: 'That is not a valid phone number. Include the country code, like +12125550123.',
      calling: 'Ringing …',
      /** For everyone in the channel. */
      announced: (name: string, language: string) =>
        `${name} is calling a phone (${language}) into this conversation. The person who answers will hear you.`,
      joined: 'The phone has joined the conversation.',
      answered: 'They answered and are in the conversation.',
      busy: 'The line is busy.',
      noAnswer: 'There was no answer.',
      voicemail: 'Voicemail answered, so I hung up.',
      canceled: 'The call ended before anyone answered.',
      callFailed: 'The call failed.',
      refused: 'Calls to this number are not allowed.',
      capacity: 'Too many calls are in progress. Please try again later.',
    },

    invite: {
      byPhone: (numbers: string, code: string) => `By phone: call ${numbers} and enter **${code}**.`,
      byDiscord: (code: string) => `From another server: \`/interpret start room-code:${code}\``,
      goodFor: (minutes: number) =>
        `The code is valid for ${minutes} minutes, for anyone who has it. Everyone who joins hears this channel.`,
      noCodes: 'Too many codes are active. Please try again later.',
    },

    listen: {
      link: (url: string, minutes: number) =>
        `Hear this channel in your language: ${url}\nThe link works for ${minutes} minutes, for everyone you give it to: share it only with people who may hear this channel. Listeners are not heard. Mute the channel in Discord to avoid hearing it twice.`,
      /** There is no public address, or no talk page. */
      off: 'Listening in a browser is not set up here. The operator of this bot must set `publicUrl`.',
    },

    pause: {
      paused: 'Paused. I stay in the channel and send nothing. To continue, use `/interpret resume`.',
      resumed: 'Interpreting continues.',
      already: 'Interpreting is paused already. To continue, use `/interpret resume`.',
      notPaused: 'Interpreting is not paused.',
    },

    transcript: {
      file: (count: number) =>
        `Utterances so far: ${count}. Only you can see this file. People who opted out are not in it.`,
      shortened: 'The start is missing, because the file would be too large for Discord.',
      empty: 'Nothing has been said yet.',
      off: 'No transcripts are kept here. The operator of this bot must turn them on.',
    },

    /** Labels of buttons and of the language menu, up to 80 characters. */
    buttons: {
      /** With consent by opt-in. */
      agree: 'Interpret me',
      pause: 'Pause',
      resume: 'Continue',
      optOut: 'Don’t listen to me',
      optIn: 'Listen to me again',
      privacy: 'What happens to my voice?',
      language: 'I speak…',
    },
  },
} as const

export type DiscordTexts = TextsLike<typeof DISCORD>
export type ChannelTexts = DiscordTexts['channel']
export type CommandTexts = DiscordTexts['commands']
export type ReplyTexts = DiscordTexts['replies']
