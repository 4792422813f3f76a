/** Everything that the page says. A further language is one more entry with the same keys. */
const en = {
  lead: 'Speak, and be heard in another language.',
  retry: 'Try again',
  start: 'Start talking',
  join: 'Join the conversation',
  starting: 'Starting…',
  stop: 'Hang up',
  mute: 'Mute',
  unmute: 'Unmute',
  speak: 'I speak',
  hear: 'I hear',
  voice: 'Voice',
  anyVoice: 'Usual voice',
  'M-voice': '{name} (male)',
  'F-voice': '{name} (female)',
  name: 'My name (others see it)',
  aloneHint: 'Nobody else is here, so you hear yourself, translated. Invite somebody, and you hear them.',
  fewLanguages:
    'The speech recognition of this server understands only {languages}. Other languages need another engine.',
  guestHint: 'You are invited to a conversation. Everybody in it is translated into what you hear.',
  companyHint: 'Everybody else is translated into this language.',
  sameHint: 'Choose another language to hear yourself translated.',
  headphones: 'Headphones are best: through loudspeakers the microphone may hear the translation.',
  you: 'You',
  others: 'You hear',
  delay: 'Delay',
  delayOf: '{seconds} s',
  ready: 'Ready when you are.',
  'line-connecting': 'Connecting…',
  'line-open': 'You are on the line. Say something.',
  'line-muted': 'Muted. Others cannot hear you.',
  'line-listening': 'You are on the line without a microphone. Listen, or play a recording below.',
  'line-waiting': 'The connection is gone. Coming back…',
  'line-over': 'Goodbye.',
  back: 'You are back.',
  lost: 'The server cannot be reached. Try again later.',
  'microphone-refused':
    'This page may not use the microphone. Allow it in the address bar of your browser and start again, or play a recording below.',
  'microphone-none': 'There is no microphone. Plug one in and start again, or play a recording below.',
  'microphone-busy':
    'Another program has the microphone. Close it and start again, or play a recording below.',
  insecure:
    'This page was opened over plain http, where browsers allow neither microphone nor sound. Open it by its https address, or on the server itself at http://localhost.',
  'microphone-lost': 'The microphone is gone. Plug it in and start again, or play a recording below.',
  'microphone-silenced': 'Your system has muted the microphone: nobody hears you.',
  'microphone-on': 'The microphone is on again.',
  recordings: 'No microphone?',
  recordingsHint: 'Let somebody else speak: a recorded voice goes into the line in place of yours.',
  recording: 'Recording',
  play: 'Play it',
  playing: 'It is being played…',
  captions: 'What is said',
  captionsEmpty: 'What you and others say appears here, in both languages.',
  captionsPage: 'Large captions in a page of their own',
  people: 'Who is here',
  youHere: '{name} (you)',
  unnamed: 'Somebody',
  'channel-browser': 'in a browser',
  'channel-twilio': 'on the telephone',
  'channel-discord': 'on Discord',
  channelHere: 'A voice channel on Discord',
  'channel-other': 'on the line',
  speaks: 'speaks {language}',
  mutedHere: 'muted',
  awayHere: 'cut off, may come back',
  invite: 'Invite somebody',
  inviteHint: 'Send this link. Anyone who has it can join for {minutes} minutes.',
  inviteHere:
    'This link works on this machine only. To invite others, set publicUrl to an address that they can reach.',
  link: 'Link',
  copy: 'Copy the link',
  copied: 'Copied.',
  codeHint: 'They can also join with this code:',
  numbersHint: 'By phone: {numbers}',
  discordHint: 'On Discord: /interpret start room-code:{code}',
  pageHint: 'On this page: under “{heading}”',
  code: 'Have a code?',
  codeField: 'Code of a conversation',
  codeJoin: 'Join it',
  away: 'The translation is away for the moment. You hear original voices until it is back.',
  'refused-uninvited': 'You need an invitation: ask for a link or a code.',
  'refused-link': 'This link is no longer valid. Ask for a new one.',
  'refused-code': 'No conversation has this code.',
  'refused-guesses': 'Too many wrong codes. Try again in some minutes.',
  'refused-language': 'The translation service does not have this language just now.',
  'refused-full': 'The conversation or the server is full. Try again later.',
  'refused-busy': 'The server takes nobody new at the moment. Try again in a minute.',
  'refused-gone': 'Your place was given up.',
  'ended-hung-up': 'The conversation is over.',
  'ended-time': 'The longest time for a visit is up.',
  'ended-replaced': 'You went on in another window.',
  'ended-server': 'The server is being restarted. Coming back…',
  'ended-failed': 'Something failed. Coming back…',
  'sorry-change': 'That cannot be changed so.',
  'sorry-invite': 'No more invitations can be made just now.',
  away503: 'The translation service does not answer yet. Trying again…',
  noSound: 'This browser cannot play or record sound in pages. Use a current one.',
} as const

export type Words = keyof typeof en

const LANGUAGES: Readonly<Record<string, Readonly<Record<Words, string>>>> = { en }

/** The language that the page speaks: the first of the browser's that it has. */
const pageLanguage: string =
  navigator.languages.map(tag => tag.split('-')[0]!).find(tag => tag in LANGUAGES) ?? 'en'

/** `{name}` in the text is replaced by what `names` has for it. */
export function say(words: Words, names: Readonly<Record<string, string>> = {}): string {
  const text = (LANGUAGES[pageLanguage] ?? en)[words]
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole)
}

/** Whether there are such words; for what is put together of parts from outside. */
export function hasWords(key: string): key is Words {
  return Object.hasOwn(en, key)
}

/** Fills everything in the document that names its words. */
export function fillWords(): void {
  document.documentElement.lang = pageLanguage
  for (const place of document.querySelectorAll<HTMLElement>('[data-words]')) {
    const { words = '' } = place.dataset
    if (hasWords(words)) place.textContent = say(words)
  }
}
