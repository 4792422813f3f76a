/** `en-us` → `en-US`, as BCP 47 is written. */
export function languageTag(language: string): string {
  const [base = '', region = ''] = language.split('-')
  return region === '' ? base : `${base}-${region.toUpperCase()}`
}

const names = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard', fallback: 'code' })

/** `en-us` → `English (United States)`. */
export function languageName(language: string): string {
  try {
    return names.of(languageTag(language)) ?? language
  } catch {
    return language
  }
}
