import type { ChannelWords } from '../../../messages/discord/types.ts'
import { type ConsentOptions, DEFAULT_CONSENT } from '../consent.ts'

/** Storage of speech: none, as text until the interpretation ends, or as text for longer. */
export type KeptText = 'nothing' | 'until-end' | 'longer'

/** Consent and storage in a channel, as stated in its notices. */
export interface NoticeTerms {
  readonly consent: ConsentOptions
  readonly keeps: KeptText
}

export const DEFAULT_TERMS: NoticeTerms = { consent: DEFAULT_CONSENT, keeps: 'nothing' }

/** The notice that `channel` is interpreted; `by` started it. */
export function listeningNotice(
  words: ChannelWords,
  by: string,
  channel: string,
  terms: NoticeTerms,
): string {
  return [words.listening(by, channel), ...termsIn(words, terms), words.toSetLanguage].join(' ')
}

/** The same for newcomers. */
export function newcomersNotice(
  words: ChannelWords,
  names: string,
  channel: string,
  terms: NoticeTerms,
): string {
  return [words.newcomers(names, channel), ...termsIn(words, terms)].join(' ')
}

/** Tells what is kept of the speech. */
export function keptIn(words: ChannelWords, keeps: KeptText): string {
  switch (keeps) {
    case 'nothing':
      return words.keptNothing
    case 'until-end':
      return words.keptUntilEnd
    case 'longer':
      return words.keptLonger
    default:
      return keeps satisfies never
  }
}

function termsIn(words: ChannelWords, { consent, keeps }: NoticeTerms): readonly string[] {
  return [keptIn(words, keeps), consentIn(words, consent)]
}

function consentIn(words: ChannelWords, { mode, roles }: ConsentOptions): string {
  switch (mode) {
    case 'opt-out':
      return words.toOptOut
    case 'opt-in':
      return words.toOptIn
    case 'role':
      // Discord shows the names; without allowed mentions, no one is alerted.
      return words.onlyRoles(roles.map(role => `<@&${role}>`).join(', '))
    default:
      return mode satisfies never
  }
}
