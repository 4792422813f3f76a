import { catalogKeys } from '../../messages/locale.ts'

/** The values that a text is made from. */
type Values<T> = T extends (...values: infer V) => string ? V : []

/** The texts of a page, in the reader's language. */
export interface PageTexts<T> {
  readonly language: string
  say<K extends keyof T>(key: K, ...values: Values<T[K]>): string
  /** Returns true if the text exists, for keys assembled at run time. */
  has(key: string): key is keyof T & string
}

/** Where the reader's choice is kept. */
const KEPT = 'dragoman.language'

/**
 * Loads the texts of a page (`talk`, `captions`) in the reader's language: the one they chose on a page, else the first
 * of the browser's languages that has texts. The server has sent the document in the language of the request, which
 * names only some of them; another language replaces its texts. Only the texts of this language are loaded.
 */
export async function loadTexts<T>(part: string): Promise<PageTexts<T>> {
  const root = document.documentElement
  const all = Object.fromEntries((root.dataset.languages ?? root.lang).split(' ').map(each => [each, each]))
  const wanted = [kept(), ...navigator.languages, root.lang]
  const language = wanted.flatMap(tag => catalogKeys(all, tag))[0] ?? 'en'
  const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const file = new URL(`../../messages/${language}/${part}${ending}`, import.meta.url)
  const module = (await import(file.href)) as Readonly<Record<string, T>>
  const texts = module[part.toUpperCase()]!
  const page: PageTexts<T> = {
    language,
    say: (key, ...values) => {
      const text = texts[key]
      return typeof text === 'function' ? text(...values) : String(text)
    },
    has: (key): key is keyof T & string => Object.hasOwn(texts as object, key),
  }
  if (language !== root.lang) fill(page)
  offer(Object.keys(all), language)
  return page
}

/** Fills the elements with `data-words` (content), `data-label` and `data-tip` with their texts. */
function fill<T>(page: PageTexts<T>): void {
  document.documentElement.lang = page.language
  const say = (key = '') => (page.has(key) ? page.say(key, ...([] as unknown as Values<T[typeof key]>)) : '')
  for (const place of document.querySelectorAll<HTMLElement>('[data-words], [data-label], [data-tip]')) {
    const { words, label, tip } = place.dataset
    if (words !== undefined) place.textContent = say(words)
    if (label !== undefined) place.setAttribute('aria-label', say(label))
    if (tip !== undefined) place.title = say(tip)
  }
  document.title = say('title')
}

/** Lets the reader choose another language: each by its own name. The page is loaded again. */
function offer(languages: readonly string[], current: string): void {
  const select = document.getElementById('page-language')
  if (!(select instanceof HTMLSelectElement)) return
  select.replaceChildren(
    ...languages.map(language => {
      const option = new Option(ownName(language), language, false, language === current)
      option.lang = language
      return option
    }),
  )
  select.addEventListener('change', () => {
    try {
      localStorage.setItem(KEPT, select.value)
    } catch {
      // Storage is blocked: the browser's languages decide.
    }
    location.reload()
  })
}

/** Returns a language's own name, as it starts a line: `es` → `Español`. */
function ownName(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}

function kept(): string {
  try {
    return localStorage.getItem(KEPT) ?? ''
  } catch {
    return ''
  }
}
