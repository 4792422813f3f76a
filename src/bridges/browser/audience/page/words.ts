import type { ListenTexts } from '../../../../messages/en/listen.ts'
import { loadTexts } from '../../../../pages/page/texts.ts'

/** All texts of the page, in the reader's language. A new one goes into `messages/<language>/listen.ts`. */
export const { say, language: pageLanguage } = await loadTexts<ListenTexts>('listen')
