import { catalogFor } from '../../../messages/catalogs.ts'
import type { ReplyTexts } from '../../../messages/en/discord.ts'
import { escaped } from '../captions/caption-format.ts'
import type { CommandContext, CommandServices } from './command-context.ts'
import {
  type LanguageCapabilities,
  languageChoices,
  languageMeant,
  languageName,
} from './language-choices.ts'

/** Maximum wait for the service's languages (ms). */
const PATIENCE_MS = 6_000
const MOST_SUGGESTIONS = 5

/** Returns a language that the service offers, or a reply that explains the problem. */
export async function typedLanguage(
  text: string,
  purpose: 'speak' | 'hear',
  { asker: { locale } }: CommandContext,
  { languages }: CommandServices,
  words: ReplyTexts,
): Promise<LanguageCapabilities | string> {
  const offered = await languages.get(PATIENCE_MS)
  if (!offered) return words.languagesUnavailable
  const meant = languageMeant(text, offered, locale)
  if (meant && (purpose === 'speak' || meant.spoken)) return meant
  const found = { locale, purpose, words: catalogFor(locale).discord.commands }
  const near = [text, text.slice(0, 3), ''].map(each => languageChoices(each, offered, found))
  const names = (near.find(each => each.length > 0) ?? [])
    .slice(0, MOST_SUGGESTIONS)
    .map(({ value }) => `${languageName(value, locale)} (${value})`)
  const problem = meant ? words.noVoice(languageName(meant.id, locale)) : words.unknownLanguage(escaped(text))
  return names.length === 0 ? problem : `${problem} ${words.perhaps(names.join(', '))}`
}
