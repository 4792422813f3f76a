import type { TalkTexts } from '../../../messages/en/talk.ts'
import { loadTexts } from '../../../pages/page/texts.ts'

/** All texts of the page, in the reader's language. A new one goes into `messages/<language>/talk.ts`. */
export const { say, has: hasWords, language: pageLanguage } = await loadTexts<TalkTexts>('talk')

export type Words = keyof TalkTexts

/** Returns true for messages about problems. */
export function isTrouble(words: Words | undefined): boolean {
  return (
    words !== undefined &&
    (/^(refused|microphone|sorry)-/.test(words) || ['insecure', 'noSound', 'lost'].includes(words)) &&
    words !== 'microphone-on' &&
    words !== 'microphone-other'
  )
}
