import type { LanguageId } from '../../../common/language.ts'

/** Other codes that servers use for a language, tried before its own. */
const ALIASES: Readonly<Record<LanguageId, readonly string[]>> = {
  'nb-no': ['nb', 'no'],
  'pt-br': ['pt-BR', 'pb', 'pt'],
  'zh-cn': ['zh-Hans', 'zh'],
  'zh-tw': ['zh-Hant', 'zt', 'zh'],
}

/** Returns the ISO 639 code of a language identifier, as speech models expect it: `es-419` → `es`. */
export function primaryCode(language: LanguageId): string {
  const code = language.slice(0, language.indexOf('-'))
  return code === 'nb' ? 'no' : code
}

/** Returns codes by which a server may know a language, best first. */
export function codesFor(language: LanguageId): readonly string[] {
  return ALIASES[language] ?? [language.slice(0, language.indexOf('-'))]
}
