import { catalogKeys, messagesFor } from '../../../messages/locale.ts'

/** All messages of the page. To add a language, add an entry with the same keys. */
const en = {
  lead: 'Speak your language. Be understood in theirs.',
  invitedBy: '{name} invites you to a call.',
  invited: 'You’re invited to a call.',
  expired: 'This link has expired.',
  present: 'In the call now: {names}',
  anew: 'Start a new call',
  retry: 'Try again',
  start: 'Start talking',
  join: 'Join the call',
  again: 'Talk again',
  listen: 'Listen',
  starting: 'Starting…',
  fix: 'Fix mic',
  more: 'More',
  close: 'Close',
  share: 'Share',
  'state-connecting': 'Connecting',
  'state-reconnecting': 'Reconnecting',
  'state-unheard': 'Nobody hears you',
  'state-muted': 'Muted',
  'state-original': 'Original voices',
  'state-playing': 'Playing',
  'state-translating': 'Translating',
  'state-listening': 'Listening',
  'hint-unheard': 'You can also play a recording.',
  'hint-reconnecting': 'Others can’t hear you until you’re back.',
  'hint-muted': 'Others can’t hear you.',
  'hint-original': 'Translations resume automatically.',
  'hint-playing': 'You can keep talking.',
  'hint-listening': 'Say something in {language}.',
  newCaption: '1 new caption',
  newCaptions: '{count} new captions',
  after: 'Call ended',
  afterNone: 'It lasted {duration}. There are no captions.',
  afterOne: 'It lasted {duration}. There is one caption.',
  afterMany: 'It lasted {duration}. There are {count} captions.',
  afterPrivacy: 'Captions exist only in this tab, and are deleted when you close it.',
  download: 'Download captions',
  'download-txt': 'Text',
  'download-srt': 'SubRip',
  'download-vtt': 'WebVTT',
  stop: 'Hang up',
  mute: 'Mute',
  unmute: 'Unmute',
  speak: 'I speak',
  hear: 'I hear',
  voice: 'Voice',
  anyVoice: 'Default voice',
  'M-voice': '{name} (male)',
  'F-voice': '{name} (female)',
  name: 'My name',
  aloneHint: 'Until someone joins, you hear your own translation.',
  fewLanguages:
    'Speech recognition on this server supports only {languages}. For more languages and better quality, its operator runs `dragoman models add`.',
  engines: 'You can speak {languages}. Engines: {engines}.',
  guestHint: 'Speak your own language. You hear everyone in this one.',
  listenerHint: 'You hear everyone in this language.',
  companyHint: 'Everyone else is translated into this language.',
  sameHint: 'Choose another language to hear yourself translated.',
  headphones: 'Use headphones so the microphone doesn’t pick up the translation.',
  you: 'You',
  others: 'You hear',
  delay: 'Delay',
  delayOf: '{seconds} s',
  ready: 'Ready when you are.',
  'line-connecting': 'Connecting…',
  'line-open': 'You’re connected. Say something.',
  'line-muted': 'Muted. Others can’t hear you.',
  'line-listening': 'You’re connected without a microphone. You can listen, or play a recording.',
  'line-waiting': 'Connection lost. Reconnecting…',
  'line-over': 'Ready when you are.',
  back: 'Reconnected.',
  lost: 'Can’t reach the server. Try again later.',
  'microphone-refused':
    'Microphone access is blocked. Allow it in the site settings next to the address, then try again.',
  'microphone-none': 'No microphone found. Connect one, then try again.',
  'microphone-busy': 'Another app is using the microphone. Close it, then try again.',
  insecure:
    'Browsers block audio on pages opened over plain http. Open the https address, or http://localhost on the server itself.',
  'microphone-lost': 'The microphone was disconnected. Connect it, then try again.',
  'microphone-silenced': 'Your system has muted the microphone. Turn it on in the system settings.',
  'microphone-on': 'The microphone is on again.',
  recordings: 'No microphone?',
  recordingsHint: 'Play a recorded voice instead of speaking.',
  recording: 'Recording',
  play: 'Play',
  playing: 'Playing…',
  captions: 'Captions',
  captionsEmpty: 'Captions appear here, in both languages.',
  captionsPage: 'Open large captions',
  people: 'Participants',
  youHere: '{name} (you)',
  unnamed: 'Guest',
  'channel-browser': 'in a browser',
  'channel-phone': 'on the phone',
  'channel-discord': 'on Discord',
  channelHere: 'Discord voice channel',
  speaks: 'speaks {language}',
  mutedHere: 'muted',
  absentHere: 'reconnecting',
  invite: 'Invite',
  inviteHint: 'Anyone with this link can join for {minutes} minutes.',
  inviteHere:
    'This link works only on this machine. To invite others, set publicUrl to an address they can reach.',
  link: 'Link',
  copy: 'Copy link',
  copied: 'Copied.',
  codeHint: 'Or join with this code:',
  numbersHint: 'By phone: {numbers}',
  discordHint: 'On Discord: /interpret start room-code:{code}',
  pageHint: 'On this page: under “{heading}”',
  code: 'Have a code?',
  codeField: 'Call code',
  codeJoin: 'Join',
  unavailable: 'Translation is temporarily unavailable. You hear original voices.',
  unavailableFor: 'The translation of {names} is temporarily unavailable. You hear the original.',
  unavailableSelf: 'Translation is temporarily unavailable.',
  'refused-uninvited': 'You need an invitation. Ask for a link or a code.',
  'refused-link': 'This link has expired. Ask for a new one.',
  'refused-expired': 'Ask the person who invited you for a new link.',
  'refused-code': 'No call has this code. Check the digits, or ask for a new code.',
  'refused-too-many-codes': 'Too many wrong codes. Try again in a few minutes.',
  'refused-language': 'This language is currently not available.',
  'refused-full': 'This call, or the server, is full. Try again later.',
  'refused-busy': 'The server isn’t accepting new visitors. Try again in a minute.',
  'refused-gone': 'You were disconnected too long. Join again.',
  'ended-hung-up': 'The call has ended.',
  'ended-time': 'You’ve reached the time limit.',
  'ended-replaced': 'You joined from another window.',
  'ended-server': 'The server is restarting. Reconnecting…',
  'ended-failed': 'Something went wrong. Reconnecting…',
  'sorry-change': 'That change isn’t possible.',
  'sorry-invite': 'Too many invitations. Try again in a minute.',
  unavailable503: 'Waiting for the translation service…',
  noSound: 'This browser doesn’t support audio on web pages. Use a current browser.',
} as const

export type Words = keyof typeof en

const LANGUAGES = { en }

/** Language of the page: the first of the browser’s languages that has messages. */
const pageLanguage = navigator.languages.flatMap(tag => catalogKeys(LANGUAGES, tag))[0] ?? 'en'
const messages: Readonly<Record<Words, string>> = messagesFor(LANGUAGES, pageLanguage)

/** Returns the message; each `{name}` in it is replaced by its value in `names`. */
export function say(words: Words, names: Readonly<Record<string, string>> = {}): string {
  return messages[words].replace(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole)
}

/** Returns true if the message exists, for keys assembled at run time. */
export function hasWords(key: string): key is Words {
  return Object.hasOwn(en, key)
}

/** Returns true for messages about problems. */
export function isTrouble(words: Words | undefined): boolean {
  return (
    words !== undefined &&
    (/^(refused|microphone|sorry)-/.test(words) || ['insecure', 'noSound', 'lost'].includes(words)) &&
    words !== 'microphone-on'
  )
}

/** Fills the elements that have `data-words` with their messages. */
export function fillWords(): void {
  document.documentElement.lang = pageLanguage
  for (const place of document.querySelectorAll<HTMLElement>('[data-words]')) {
    const { words = '' } = place.dataset
    if (hasWords(words)) place.textContent = say(words)
  }
}
