import type { LanguageId } from '../common/language.ts'
import type { NoticeName } from '../core/model/announcer.ts'
import { catalogOf } from './catalogs.ts'

/**
 * The system’s sentences in one language. `{place}` is replaced with a value of the notice; a part in `[…]` is omitted
 * if its value is missing.
 */
export interface NoticeTexts {
  readonly notices: Readonly<Record<NoticeName, string>>
  /** Spoken names of the phone keys: digits, star, hash. */
  readonly keys: Readonly<Record<string, string>>
}

/** Source language for languages without sentences here. */
export const FALLBACK_LANGUAGE: LanguageId = 'en-us'

/** Returns the sentences of a language in any region, or undefined. */
export function noticesFor(language: LanguageId): NoticeTexts | undefined {
  return catalogOf(language)?.notices
}

/** Returns the sentence of a notice with its values; phone keys are spelled out (`*1`: “star one”). */
export function sentence(
  texts: NoticeTexts,
  notice: NoticeName,
  values: Readonly<Record<string, string>> = {},
): string {
  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (_place, name: string) => spoken(values[name] ?? '', texts))
  return fill(
    texts.notices[notice].replace(/ ?\[([^\][]*)\]/g, (_all, part: string) =>
      [...part.matchAll(/\{(\w+)\}/g)].every(([, name]) => values[name ?? '']) ? ` ${part}` : '',
    ),
  )
    .replace(/\s+/g, ' ')
    .trim()
}

/** Returns a value as spoken: key sequences by their names, plain numbers unchanged. */
function spoken(value: string, { keys }: NoticeTexts): string {
  if (!/^[0-9*#]{1,12}$/.test(value) || /^[1-9][0-9]+$/.test(value)) return value
  return [...value].map(key => keys[key] ?? key).join(' ')
}
