import {
  type APIActionRowComponent,
  type APIStringSelectComponent,
  ComponentType,
  type StringSelectMenuInteraction,
} from 'discord.js'
import { type LanguageId, primaryLanguage, sameLanguage } from '../../../common/language.ts'
import { catalogFor } from '../../../messages/catalogs.ts'
import { languageOfLocale } from '../../../messages/locale.ts'
import type { RawOption } from './command-options.ts'
import { type LanguageCapabilities, languageName, nativeName } from './language-choices.ts'

const CUSTOM_ID = 'dragoman:language'
/** Maximum number of options (Discord: String Select). */
const MOST_OPTIONS = 25

/** Languages by the number of Discord's users, as far as Discord's own locales show it: others follow by name. */
const COMMON =
  'en es pt fr de it ru ja ko zh hi id tr pl nl uk vi th ar cs sv ro hu el no da fi bg hr lt'.split(' ')

/**
 * Returns a menu of the languages that the service recognizes, each in its own name, for choosing the language that one
 * speaks. The languages in `first` lead. Without a recognized language, there is no menu.
 */
export function languageMenu(
  locale: string,
  offered: readonly LanguageCapabilities[],
  first: readonly LanguageId[],
): APIActionRowComponent<APIStringSelectComponent> | undefined {
  const ids = selection(offered, first)
  if (ids.length === 0) return undefined
  const menu: APIStringSelectComponent = {
    type: ComponentType.StringSelect,
    custom_id: CUSTOM_ID,
    placeholder: catalogFor(locale).discord.replies.buttons.language,
    options: ids.map(id => ({
      label: nativeName(id).slice(0, 100),
      value: id,
      description: languageName(id, locale).slice(0, 100),
    })),
  }
  return { type: ComponentType.ActionRow, components: [menu] }
}

/**
 * Returns a choice as the data of `/interpret language`; undefined for other applications' menus. The chosen language is
 * remembered.
 */
export function parseMenu({
  customId,
  values,
}: Pick<StringSelectMenuInteraction, 'customId' | 'values'>): readonly RawOption[] | undefined {
  const [language] = values
  if (customId !== CUSTOM_ID || language === undefined) return undefined
  const options = [
    { name: 'language', value: language },
    { name: 'remember', value: true },
  ]
  return [{ name: 'language', options }]
}

function selection(
  offered: readonly LanguageCapabilities[],
  first: readonly LanguageId[],
): readonly LanguageId[] {
  const recognized = offered.filter(each => each.heard).map(({ id }) => id)
  const rank = (id: LanguageId) => {
    const own = first.findIndex(each => sameLanguage(each, id))
    if (own >= 0) return own - first.length
    const common = COMMON.indexOf(primaryLanguage(id))
    return common < 0 ? COMMON.length : common
  }
  const sorted = recognized.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      Number(first.includes(b)) - Number(first.includes(a)) ||
      Number(isUsual(b)) - Number(isUsual(a)) ||
      a.localeCompare(b),
  )
  if (sorted.length <= MOST_OPTIONS) return sorted
  // One region of each language, so that more languages fit; then the other regions.
  const regional = sorted.filter((id, at) => sorted.findIndex(each => sameLanguage(each, id)) < at)
  return [...sorted.filter(id => !regional.includes(id)), ...regional].slice(0, MOST_OPTIONS)
}

function isUsual(id: LanguageId): boolean {
  return languageOfLocale(primaryLanguage(id)) === id
}
