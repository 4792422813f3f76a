import type { Words } from './words.ts'

export const ENGLISH: Words = {
  commands: {
    interpret: ['interpret', 'Live interpreting of a voice channel: everybody speaks their own language'],
    start: ['start', 'Begin to interpret a voice channel'],
    stop: ['stop', 'Stop interpreting'],
    language: ['language', 'Say which language you speak and read'],
    output: ['output', 'Choose what is spoken in the channel'],
    captions: ['captions', 'Choose how captions look and where they go'],
    status: ['status', 'Show what is being interpreted, and for whom'],
    privacy: ['privacy', 'What happens to your voice, and how to say no'],
    info: ['info', 'What happens to your voice, and what is kept about you'],
    optOut: ['opt-out', 'Do not listen to me, now and in future'],
    optIn: ['opt-in', 'Listen to me again'],
    forget: ['forget', 'Delete everything that is kept about you'],
    dial: ['dial', 'Call a telephone into the conversation'],
    invite: ['invite', 'Get a code by which others join the conversation'],
    options: {
      channel: ['channel', 'The voice channel (default: the one you are in)'],
      captionsOnly: ['captions-only', 'Write captions, and say nothing in the channel'],
      roomCode: ['room-code', 'The code of a conversation to join'],
      language: ['language', 'Begin to type its name'],
      user: ['user', 'Somebody else (moderators only)'],
      remember: ['remember', 'Keep it for the next time (default: no)'],
      first: ['first', 'A language, or automatic'],
      second: ['second', 'One more language'],
      style: ['style', 'How captions look'],
      thread: ['thread', 'In a thread of their own'],
      number: ['number', 'The telephone number, like +12125550123'],
      theirLanguage: ['language', 'What the person on the telephone speaks'],
    },
    styles: { embed: 'In colour', plain: 'Plain text', off: 'No captions' },
    readOnly: 'to hear and read only',
    auto: 'Automatic: as the people in the channel need it',
  },
  answers: {
    onlyInServers: 'This works in servers only.',
    notInvited: url =>
      `I am not a member of this server: only my commands were installed. Ask somebody who may manage the server to add me as a bot: ${url}`,
    notThisServer: 'I am not set up for this server.',
    unknownCommand: 'I do not know this command. Discord may show an old list: restart it, and try again.',
    failed: 'That failed, through no fault of yours. Please try again in a moment.',
    tooFast: seconds => `That was a lot at once. Please wait ${seconds} s.`,
    notRunning: 'Nothing is being interpreted here now. `/interpret start` begins.',
    notYours:
      'Only people in that voice channel, whoever started it, and those who may manage channels can change that.',
    moderatorsOnly: 'Only people who may mute members or manage channels can do that for others.',

    started: (channel, text) =>
      `Interpreting ${channel}. Speak your own language; captions are in ${text}. \`/interpret language\` sets yours.`,
    startedCaptionsOnly: (channel, text) =>
      `Writing captions for ${channel} in ${text}; nothing is spoken. \`/interpret language\` sets your language.`,
    runningHere: 'This channel is being interpreted already.',
    runningElsewhere: channel =>
      `I am already interpreting ${channel}, and can be in one channel of a server only. \`/interpret stop\` ends it there.`,
    joinFirst: 'Join a voice channel first, or name one.',
    beThere: channel =>
      `Join ${channel} first. Only people who may manage channels can start it from outside.`,
    noVoiceChannel: channel => `${channel} is not a voice channel.`,
    notAllowedThere: channel => `You may not join ${channel} yourself.`,
    restChannel: channel =>
      `${channel} is where people are moved when they are away: nobody can speak there.`,
    channelFull: (channel, limit) =>
      `${channel} is full (${limit}). Raise its user limit, or allow me to move members.`,
    missing: (channel, permissions) => `In ${channel} I am missing:\n${permissions}`,
    giveThem: role =>
      `Somebody who manages the server can give me that: edit the channel, Permissions, role **${role}**.`,
    withoutThem: 'Until then captions do without it.',
    timedOut: 'A moderator has put me on a time-out: until it is over I can neither write nor speak.',
    noThreadHere: 'There are no threads in the chat of a voice channel, so captions go to the chat itself.',
    wrongCode: 'There is no conversation with this code. Codes expire; ask for a fresh one.',
    tooManyCodes: 'Too many wrong codes. Please wait some minutes.',
    noCapacity: 'As many conversations as possible are going on already. Please try again later.',
    ends: {
      kicked: 'A moderator disconnected me while I was joining.',
      permissions: 'Discord did not let me in: a permission is missing.',
      channelGone: 'The channel is gone.',
      encryption: 'I could not agree on encryption with Discord, so I left. Please try again in a moment.',
      refused: code => `Discord refused the connection (code ${code}).`,
      unreachable: attempts =>
        `I tried ${attempts} times and did not get a voice connection. Try again, or choose another region for the channel.`,
      closing: 'I am being restarted. Please try again in a minute.',
      other: 'Interpreting ended as soon as it had begun.',
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
    },

    stopped: channel => `Stopped interpreting ${channel}.`,

    languageIs: language => `Your language is **${language}**.`,
    languageOf: (name, language) => `The language of ${name} is **${language}**.`,
    keptUntilRestart: 'I keep it until I am restarted; with `remember` I keep it longer.',
    remembered: 'I remember it. `/interpret privacy forget` deletes it.',
    notUnderstood: language =>
      `${language} can be heard and read here, but not recognised: what is said in it is not translated.`,
    unknownLanguage: text => `“${text}” is not a language I have.`,
    perhaps: languages => `Perhaps: ${languages}`,
    languagesAway:
      'I cannot ask the translation service for its languages now. Please try again in a moment.',
    stillOptedOut: 'You have opted out, so nobody listens to you. `/interpret privacy opt-in` changes that.',

    outputAuto:
      'What is spoken follows the people in the channel: two languages, each is spoken; one or many, see `/interpret status`.',
    outputIs: languages => `Spoken in the channel: **${languages}**. Captions go on for everybody else.`,
    noVoice: language => `There is no voice for ${language}.`,

    captionsAre: style => `Captions: **${style}**.`,
    captionsOff: 'No more captions are written.',
    inThread: 'They go to a thread of their own.',
    captionsFailed: 'That did not work: I may not write there.',

    status: {
      joining: channel => `**Joining ${channel} …**`,
      listening: channel => `🔴 **Interpreting ${channel}**`,
      reconnecting: channel => `**The connection to ${channel} broke; I am trying to get it back.**`,
      since: time => `Since ${time}`,
      encrypted: 'End-to-end encrypted as far as Discord goes',
      notEncrypted: 'Not end-to-end encrypted',
      output: output => `Output: ${output}`,
      auto: 'automatic',
      spoken: languages => `Spoken now: ${languages}`,
      written: languages => `Captions now: ${languages}`,
      nothing: 'nothing',
      captions: (style, channel) => `Captions: ${style}, in ${channel}`,
      speakers: 'People:',
      nobody: 'Nobody is being listened to yet.',
      optedOut: 'opted out, not listened to',
      from: {
        asked: 'as they said',
        remembered: 'remembered',
        locale: 'from their Discord',
        default: 'assumed',
      },
      more: count => `and ${count} more`,
      away: '⚠️ The translation service cannot be reached just now. I keep trying.',
    },

    privacy: {
      info:
        'While a channel is being interpreted, the voices in it are sent to a translation service, which recognises and ' +
        'translates them. I keep no recordings. Captions are ordinary messages and stay in the chat until they are ' +
        'deleted. You can say no at any time by `/interpret privacy opt-out`: from that moment I receive nothing of yours.',
      nothingKept: 'I keep nothing about you.',
      keptLanguage: language => `I remember your language: ${language}.`,
      sessionLanguage: language => `Until I am restarted I know your language: ${language}.`,
      youOptedOut: 'I remember that you opted out.',
      optedOut:
        'I do not listen to you any more, here or in any other server. You still hear and read the others. ' +
        '`/interpret privacy opt-in` changes that.',
      optedIn: 'You are interpreted again from now on.',
      forgotten:
        'Everything I kept about you is deleted, also that you opted out, if you had. Captions are messages: delete those yourself, or ask a moderator.',
    },

    dial: {
      off: 'Calling telephones is not set up on this server.',
      notYou: 'You may not call telephones: that takes a certain role, or permission to manage the server.',
      noNumber: 'That is no telephone number. Write it with its country, like +12125550123.',
      calling: 'It is ringing …',
      announced: (name, language) =>
        `${name} is calling a telephone (${language}) into this conversation. Whoever answers will hear you.`,
      joined: 'The telephone has joined the conversation.',
      answered: 'They answered and are in the conversation.',
      busy: 'The line is busy.',
      noAnswer: 'Nobody answered.',
      voicemail: 'An answering machine answered; I hung up.',
      cancelled: 'The call was ended before anybody answered.',
      callFailed: 'The call failed.',
      refused: 'This number may not be called.',
      capacity: 'Too many calls are on their way. Please try again later.',
    },

    invite: {
      byPhone: (numbers, code) => `By telephone: call ${numbers} and key in **${code}**.`,
      byDiscord: code => `From another server: \`/interpret start room-code:${code}\``,
      goodFor: minutes =>
        `The code is good for ${minutes} minutes, for everybody who has it. Whoever joins hears this channel.`,
      noCodes: 'Too many codes are out just now. Please try again later.',
    },

    buttons: {
      optOut: 'Don’t listen to me',
      optIn: 'Listen to me again',
      privacy: 'What happens to my voice?',
    },
  },
}
