import type { Tongue } from '../../words/locale.ts'
import type { ChannelWords } from '../channel-words.ts'
import { GERMAN } from './de.ts'
import { ENGLISH } from './en.ts'
import { SPANISH } from './es.ts'
import { FRENCH } from './fr.ts'
import { ITALIAN } from './it.ts'
import { PORTUGUESE } from './pt.ts'

export const CHANNEL_WORDS: Readonly<Record<Tongue, ChannelWords>> = {
  en: ENGLISH,
  es: SPANISH,
  fr: FRENCH,
  de: GERMAN,
  it: ITALIAN,
  pt: PORTUGUESE,
}
