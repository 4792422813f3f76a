import type { ChannelWords, Words } from '../discord/types.ts'

export const CHANNEL: ChannelWords = {
  listening: (by, channel) =>
    `🔴 **Live interpreting in ${channel}**, started by ${by}. Speech there is sent to a translation service and shown as captions.`,
  newcomers: (names, channel) =>
    `🔴 ${names}: speech in ${channel} is sent to a translation service and shown as captions.`,
  keptNothing: 'Nothing is recorded or kept.',
  notRecorded: 'Nothing is recorded.',
  recordedOnRequest: 'The conversation can be recorded on request.',
  recorded: 'The conversation is recorded.',
  textUntilEnd: 'The text is kept until interpreting ends, for `/interpret transcript`.',
  textLonger: 'The text is kept, also after interpreting ends.',
  toOptOut: 'To opt out, press the button or type `/interpret privacy opt-out`: it works immediately.',
  toOptIn:
    'I listen only to people who agree: press the button or type `/interpret privacy opt-in`. Until then, your voice is not sent. You can withdraw at any time.',
  onlyRoles: roles =>
    `I listen only to members with ${roles}. If you are one of them and want to opt out, press the button or type \`/interpret privacy opt-out\`.`,
  toSetLanguage: 'To set your language, type `/interpret language`.',
  paused: (by, channel) => `⏸ ${by} paused interpreting in ${channel}. I am not listening to anyone.`,
  resumed: channel => `▶ Interpreting in ${channel} continues.`,
  ended: channel => `⚪ Interpreting in ${channel} has ended. I am no longer listening.`,
  kicked: 'I was disconnected, so I stopped.',
  taken: 'Another part of this bot uses its voice here now, so I stopped interpreting.',
  lost: 'I lost the voice connection and could not restore it, so I stopped.',
  encryption: 'Encryption with Discord failed, so I stopped.',
  permissions: 'I no longer have access to this channel, so I stopped.',
  empty: 'Everyone left, so I stopped.',
  askedToSpeak: 'I asked to speak on this stage. Until a moderator allows it, there are only captions.',
  muted: 'I am muted, so there are only captions.',
  deafened: 'I am deafened, so I cannot hear or translate anyone.',
  noSpeak: 'I am not allowed to speak in this channel, so there are only captions.',
  noAudio:
    'People are speaking, but no audio arrives. The operator of this bot should check whether UDP is blocked.',
  full: 'There are more people here than I can listen to. Some are not translated.',
  serviceUnavailable:
    '⚠️ The translation service is unavailable. I keep trying; until then, there are no captions.',
  untranslated: names => `⚠️ I cannot translate everyone at the moment. Missing: ${names}. I keep trying.`,
  serviceBack: 'The translation service was unavailable for a while. It is back.',
  headphones: name => `${name}, your microphone picks up what I say. Please use headphones.`,
  thread: 'Captions',
  telephone: 'phone',
}

export const COMMANDS: Words = {
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
    styles: {
      embed: 'In color',
      plain: 'Plain text',
      webhook: 'With name and picture of the speaker',
      off: 'No captions',
    },
    formats: { text: 'Text', srt: 'Subtitles (SRT)', vtt: 'Subtitles (WebVTT)' },
    readOnly: 'listening and reading only',
    auto: 'Automatic: based on the people in the channel',
  },
  answers: {
    onlyInServers: 'This works only in servers.',
    notInvited: url =>
      `I am not a member of this server: only my commands are installed. Ask someone who can manage the server to add me as a bot: ${url}`,
    notThisServer: 'I am not set up for this server.',
    unknownCommand: 'Unknown command. Discord may be showing an outdated list: restart it and try again.',
    failed: 'Something went wrong on our side. Please try again in a moment.',
    tooFast: seconds => `Too many requests. Please wait ${seconds} s.`,
    notRunning: 'Nothing is being interpreted here. To start, use `/interpret start`.',
    notYours:
      'Only people in that voice channel, the person who started it, and members who can manage channels can change that.',
    moderatorsOnly: 'Only members who can mute members or manage channels can do that for others.',

    started: (channel, text) =>
      `Interpreting ${channel}. Speak your own language; captions are in ${text}. To set your language, use \`/interpret language\`.`,
    startedCaptionsOnly: (channel, text) =>
      `Writing captions for ${channel} in ${text}, without speaking. To set your language, use \`/interpret language\`.`,
    runningHere: 'This channel is already being interpreted.',
    runningElsewhere: channel =>
      `I am already interpreting ${channel}, and can be in only one channel per server. To stop there, use \`/interpret stop\`.`,
    joinFirst: 'Join a voice channel first, or name one.',
    beThere: channel =>
      `Join ${channel} first. Only members who can manage channels can start it from outside.`,
    noVoiceChannel: channel => `${channel} is not a voice channel.`,
    notAllowedThere: channel => `You don’t have permission to join ${channel}.`,
    restChannel: channel => `${channel} is the inactive channel, where members cannot speak.`,
    channelFull: (channel, limit) =>
      `${channel} is full (${limit}). Raise its user limit, or allow me to move members.`,
    missing: (channel, permissions) => `In ${channel}, I need these permissions:\n${permissions}`,
    giveThem: role =>
      `Someone who manages the server can grant them: edit the channel, Permissions, role **${role}**.`,
    withoutThem: 'Until then, captions work without them.',
    timedOut: 'A moderator timed me out. Until that ends, I can neither write nor speak.',
    noThreadHere: 'The chat of a voice channel has no threads, so captions go to the chat itself.',
    wrongCode: 'No conversation has this code. Codes expire; ask for a new one.',
    tooManyCodes: 'Too many wrong codes. Please wait a few minutes.',
    noCapacity: 'All conversation slots are in use. Please try again later.',
    ends: {
      kicked: 'A moderator disconnected me while I was joining.',
      taken: channel =>
        `Another part of this bot, such as music, is using its voice in ${channel}. End that first: I can be in only one voice channel.`,
      takenSomewhere:
        'Another part of this bot, such as music, is using its voice in this server. End that first: I can be in only one voice channel.',
      permissions: 'I could not join: a permission is missing.',
      channelGone: 'The channel no longer exists.',
      encryption: 'Encryption with Discord failed, so I left. Please try again in a moment.',
      refused: code => `Discord refused the connection (code ${code}).`,
      unreachable: attempts =>
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

    stopped: channel => `Stopped interpreting ${channel}.`,

    languageIs: language => `Your language is **${language}**.`,
    languageOf: (name, language) => `The language of ${name} is **${language}**.`,
    keptUntilRestart: 'I keep it until I restart; with `remember`, longer.',
    remembered: 'I will remember it. To delete it, use `/interpret privacy forget`.',
    notUnderstood: language =>
      `You can hear and read ${language} here, but I cannot recognize it: speech in this language is not translated.`,
    unknownLanguage: text => `“${text}” is not a language I know.`,
    perhaps: languages => `Try: ${languages}`,
    languagesUnavailable:
      'I cannot get the languages of the translation service. Please try again in a moment.',
    stillOptedOut:
      'You have opted out, so I am not listening to you. To opt in, use `/interpret privacy opt-in`.',

    outputAuto:
      'The spoken languages follow the people in the channel. With two languages, both are spoken; otherwise, see `/interpret status`.',
    outputIs: languages => `Spoken in the channel: **${languages}**. Everyone else gets captions.`,
    noVoice: language => `No voice is available for ${language}.`,

    captionsAre: style => `Captions: **${style}**.`,
    captionsOff: 'Captions are off.',
    inThread: 'They go to a separate thread.',
    captionsFailed: 'That did not work: I am not allowed to write there.',

    status: {
      joining: channel => `**Joining ${channel} …**`,
      listening: channel => `🔴 **Interpreting ${channel}**`,
      reconnecting: channel => `**Connection to ${channel} lost. Reconnecting …**`,
      paused: channel => `⏸ **Interpreting ${channel} is paused**`,
      since: time => `Started ${time}`,
      encrypted: 'End-to-end encrypted on Discord',
      notEncrypted: 'Not end-to-end encrypted',
      output: output => `Output: ${output}`,
      auto: 'automatic',
      spoken: languages => `Spoken now: ${languages}`,
      written: languages => `Captions now: ${languages}`,
      nothing: 'nothing',
      captions: (style, channel) => `Captions: ${style}, in ${channel}`,
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
      more: count => `and ${count} more`,
      unavailable: '⚠️ The translation service is unavailable. I keep trying.',
    },

    privacy: {
      info: 'While a channel is being interpreted, its voices are sent to a translation service, which recognizes and translates them. Captions are ordinary messages and stay in the chat until they are deleted. You can opt out at any time with `/interpret privacy opt-out`: from then on, I receive none of your audio.',
      nothingKept: 'I store nothing about you.',
      keptLanguage: language => `I remember your language: ${language}.`,
      sessionLanguage: language => `I know your language until I restart: ${language}.`,
      youOptedOut: 'I remember that you opted out.',
      optedOut:
        'I no longer listen to you, in this or any other server. You still hear and read the others. To opt in again, use `/interpret privacy opt-in`.',
      optedIn: 'You are being interpreted.',
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
      announced: (name, language) =>
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
      byPhone: (numbers, code) => `By phone: call ${numbers} and enter **${code}**.`,
      byDiscord: code => `From another server: \`/interpret start room-code:${code}\``,
      goodFor: minutes =>
        `The code is valid for ${minutes} minutes, for anyone who has it. Everyone who joins hears this channel.`,
      noCodes: 'Too many codes are active. Please try again later.',
    },

    listen: {
      link: (url, minutes) =>
        `Hear this channel in your language: ${url}\nThe link works for ${minutes} minutes, for everyone you give it to: share it only with people who may hear this channel. Listeners are not heard. Mute the channel in Discord to avoid hearing it twice.`,
      off: 'Listening in a browser is not set up here. The operator of this bot must set `publicUrl`.',
    },

    pause: {
      paused: 'Paused. I stay in the channel and send nothing. To continue, use `/interpret resume`.',
      resumed: 'Interpreting continues.',
      already: 'Interpreting is paused already. To continue, use `/interpret resume`.',
      notPaused: 'Interpreting is not paused.',
    },

    transcript: {
      file: count =>
        `Utterances so far: ${count}. Only you can see this file. People who opted out are not in it.`,
      shortened: 'The start is missing, because the file would be too large for Discord.',
      empty: 'Nothing has been said yet.',
      off: 'No transcripts are kept here. The operator of this bot must turn them on.',
    },

    buttons: {
      agree: 'Interpret me',
      pause: 'Pause',
      resume: 'Continue',
      optOut: 'Don’t listen to me',
      optIn: 'Listen to me again',
      privacy: 'What happens to my voice?',
      language: 'I speak…',
    },
  },
}
