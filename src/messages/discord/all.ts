import type { Tongue } from '../locale.ts'
import type { ChannelWords } from './channel-words.ts'
import { GERMAN_CHANNEL } from './de.ts'
import { ENGLISH_CHANNEL } from './en.ts'
import { SPANISH_CHANNEL } from './es.ts'
import { FRENCH_CHANNEL } from './fr.ts'
import { ITALIAN_CHANNEL } from './it.ts'
import { PORTUGUESE_CHANNEL } from './pt.ts'

export const CHANNEL_WORDS: Readonly<Record<Tongue, ChannelWords>> = {
  en: ENGLISH_CHANNEL,
  es: SPANISH_CHANNEL,
  fr: FRENCH_CHANNEL,
  de: GERMAN_CHANNEL,
  it: ITALIAN_CHANNEL,
  pt: PORTUGUESE_CHANNEL,
}
