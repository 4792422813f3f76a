import type { ChannelTexts } from '../../../messages/en/discord.ts'
import type { ConsentOptions } from '../consent.ts'
import type { ChannelEnd } from '../contract.ts'
import type { Notice } from './notices.ts'

/** Storage of speech: none, as text until the interpretation ends, or as text for longer. */
export type KeptText = 'nothing' | 'until-end' | 'longer'

/** Recording of the conversation: never, on request, or always. */
export type RecordingMode = 'off' | 'asked' | 'always'

/** Consent and storage in a channel, as stated in its notices. */
export interface NoticeTerms {
  readonly consent: ConsentOptions
  readonly keeps: KeptText
  readonly recording: RecordingMode
}

/** The notice that `channel` is interpreted; `by` started it. */
export function listeningNotice(
  words: ChannelTexts,
  by: string,
  channel: string,
  terms: NoticeTerms,
): string {
  return [words.listening(by, channel), ...termsIn(words, terms), words.toSetLanguage].join(' ')
}

/** The same for newcomers. */
export function newcomersNotice(
  words: ChannelTexts,
  names: string,
  channel: string,
  terms: NoticeTerms,
): string {
  return [words.newcomers(names, channel), ...termsIn(words, terms)].join(' ')
}

/** Returns the chat notice for an ending, or undefined if someone asked for it. */
export function endNotice(end: ChannelEnd): Notice | undefined {
  switch (end.kind) {
    case 'stopped':
    case 'parent-closed':
      return undefined
    case 'empty':
      return words => words.empty
    case 'kicked':
      return words => words.kicked
    case 'taken':
      return words => words.taken
    case 'unreachable':
      return words => words.lost
    case 'refused':
      if (end.code === 'channel-gone' || end.code === 'guild-gone') return undefined
      if (end.code === 'permissions') return words => words.permissions
      if (end.code === 'encryption') return words => words.encryption
      return words => words.lost
    default:
      return end satisfies never
  }
}

/** Tells what is kept of the speech: as sound, and as text unless none is. */
export function keptIn(words: ChannelTexts, { keeps, recording }: Omit<NoticeTerms, 'consent'>): string {
  const sound = recordingIn(words, recording)
  switch (keeps) {
    case 'nothing':
      return sound
    case 'until-end':
      return `${sound} ${words.textUntilEnd}`
    case 'longer':
      return `${sound} ${words.textLonger}`
    default:
      return keeps satisfies never
  }
}

function recordingIn(words: ChannelTexts, recording: RecordingMode): string {
  switch (recording) {
    case 'off':
      return words.notRecorded
    case 'asked':
      return words.recordedOnRequest
    case 'always':
      return words.recorded
    default:
      return recording satisfies never
  }
}

function termsIn(words: ChannelTexts, terms: NoticeTerms): readonly string[] {
  const nothing = terms.keeps === 'nothing' && terms.recording === 'off'
  return [nothing ? words.keptNothing : keptIn(words, terms), consentIn(words, terms.consent)]
}

function consentIn(words: ChannelTexts, { mode, roles }: ConsentOptions): string {
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
