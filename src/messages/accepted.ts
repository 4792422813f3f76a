import { CATALOGS, type UiLanguage } from './catalogs.ts'
import { catalogKeys } from './locale.ts'

/** The most languages of a request that are read: browsers send about five. */
const MOST = 20

/** Returns the language of texts for the header `Accept-Language` of a request (RFC 9110, 12.5.4); English without a match. */
export function acceptedLanguage(header = ''): UiLanguage {
  const wanted = header
    .split(',', MOST)
    .map(part => {
      const [tag = '', ...parameters] = part.split(';').map(each => each.trim())
      const weight = parameters.find(each => each.startsWith('q='))?.slice(2) ?? '1'
      return { tag, weight: Number(weight) || 0 }
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  for (const { tag } of wanted) {
    const [key] = catalogKeys(CATALOGS, tag)
    if (key !== undefined) return key as UiLanguage
  }
  return 'en'
}
