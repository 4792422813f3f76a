import type { CaptionTexts } from '../../../messages/en/captions.ts'
import { loadTexts } from '../../../pages/page/texts.ts'

/** All texts of the page, in the reader's language. A new one goes into `messages/<language>/captions.ts`. */
export const { say, has: hasWords, language: pageLanguage } = await loadTexts<CaptionTexts>('captions')
