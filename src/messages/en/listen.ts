import type { TextsLike } from '../texts.ts'

/** All texts of the page for listening. */
export const LISTEN = {
  title: 'Listen · Dragoman',
  pageLanguage: 'Language of this page',
  noScript: 'This page needs JavaScript for audio and captions.',
  controls: 'Language and sound',
  language: 'I listen in',
  choose: 'Choose your language',
  play: 'Listen',
  stop: 'Stop',
  volume: 'Volume',
  smaller: 'Smaller text',
  larger: 'Larger text',
  captions: 'Captions',
  captionsAloud: 'Captions, read out',
  captionsEmpty: 'Captions appear here in the chosen language.',
  'state-connecting': 'Connecting…',
  'state-waiting': 'Not started yet. Keep this page open.',
  'state-live': 'Live',
  'state-again': 'Connection lost. Reconnecting…',
  'state-over': 'Ended',
  'state-invalid': 'Invalid link',
  outage: 'Translation is temporarily unavailable. You hear the original.',
  outageOf: (names: string) =>
    `The translation of ${names} is temporarily unavailable. You hear the original.`,
  languagesFull: (open: string) =>
    `All places for languages are in use. You can listen in one of these: ${open}.`,
  unavailable: (language: string) => `${language} is not available here. Choose another language.`,
  interrupted: 'The sound was interrupted. Press Listen to continue.',
  noSound: 'This browser doesn’t support audio on web pages. You can read the captions.',
  'refused-link': 'There is nothing to listen to at this link. Ask for a new one.',
  'refused-full': 'All places for listeners are taken. Trying again…',
  'refused-busy': 'The server is busy. Trying again…',
  'ended-link': 'It is over, or the link has expired.',
} as const

export type ListenTexts = TextsLike<typeof LISTEN>
