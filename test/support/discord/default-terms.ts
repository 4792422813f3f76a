import type { NoticeTerms } from '../../../src/bridges/discord/channel/notice-terms.ts'
import { DEFAULT_CONSENT } from '../../../src/bridges/discord/consent.ts'

/** Nobody is asked, and nothing is kept. */
export const DEFAULT_TERMS: NoticeTerms = { consent: DEFAULT_CONSENT, keeps: 'nothing', recording: 'off' }
