import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { acceptedLanguage } from '../../src/messages/accepted.ts'
import { CATALOGS, UI_LANGUAGES } from '../../src/messages/catalogs.ts'
import { counted } from '../../src/messages/plural.ts'
import { localizedPage } from '../../src/pages/page-document.ts'

const PARTS = ['talk', 'captions', 'listen', 'errors'] as const
/** Numbers of all plural categories of the six languages. */
const COUNTS = [0, 1, 2, 5, 11, 21, 1_000_000]

/** Every text of a part with its key, made of recognizable values. */
function textsOf(part: object): [key: string, text: string][] {
  return Object.entries(part).flatMap(([key, text]): [string, string][] => {
    if (typeof text !== 'function') return [[key, String(text)]]
    const make = text as (...values: unknown[]) => string
    const counting = /minutes|count|newer|captions\)|number\b/.test(String(text).split('=>')[0]!)
    if (counting) return COUNTS.map(count => [`${key} ${count}`, make(...Array(make.length).fill(count))])
    return [[key, make(...['⟨first⟩', '⟨second⟩'].slice(0, make.length))]]
  })
}

const values = (text: string) => [...new Set(text.match(/⟨\w+⟩|`[^`]+`/g))].sort()

describe.each(UI_LANGUAGES)('the texts of pages in %s', language => {
  test.each(PARTS)('%s: are complete, with all values and commands', part => {
    const english = new Map(textsOf(CATALOGS.en[part]))
    const own = textsOf(CATALOGS[language][part])
    expect(own.map(([key]) => key.split(' ')[0]).filter(key => !(key! in CATALOGS.en[part]))).toEqual([])
    expect(Object.keys(CATALOGS[language][part]).sort()).toEqual(Object.keys(CATALOGS.en[part]).sort())
    for (const [key, text] of own) {
      // A state without further words has none in any language.
      expect(text.trim(), key).not.toBe('')
      expect(text, key).not.toMatch(/(?<!\/)\{|#|undefined/)
      expect(values(text), key).toEqual(values(english.get(key) ?? text))
    }
  })

  test('are not left in English', () => {
    if (language === 'en') return
    for (const part of PARTS) {
      const english = new Map(textsOf(CATALOGS.en[part]))
      const same = textsOf(CATALOGS[language][part]).filter(
        ([key, text]) => text.length > 12 && text === english.get(key),
      )
      expect(same).toEqual([])
    }
  })

  test.each([
    ['talk', 'bridges/browser/page/talk.html'],
    ['captions', 'web/captions/page/captions.html'],
    ['listen', 'bridges/browser/audience/page/listen.html'],
  ] as const)('are in the document of %s', (part, body) => {
    const html = localizedPage({ part, module: 'x', body })(`${language},en;q=0.5`).toString()
    expect(html).toContain(`<html lang="${language}" data-languages="en es fr de it pt">`)
    expect(html).toContain(`<title>${CATALOGS[language][part].title}</title>`)
    for (const [, key = '', text = ''] of html.matchAll(/data-words="([\w-]+)"[^>]*>([^<]*)</g)) {
      const wanted = (CATALOGS[language][part] as Readonly<Record<string, unknown>>)[key]
      expect(unescaped(text), key).toBe(wanted)
    }
    expect(html).not.toMatch(/data-(?:label|tip)="[\w-]+" (?!aria-label|title)/)
  })
})

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)))
}

test('French signs stay on the line of their word', () => {
  for (const part of PARTS)
    for (const [key, text] of textsOf(CATALOGS.fr[part])) expect(text, key).not.toMatch(/ [:;?!»]|« /)
})

test('the documents contain no text outside of the catalogs', () => {
  const bodies = [
    'bridges/browser/page/talk.html',
    'web/captions/page/captions.html',
    'bridges/browser/audience/page/listen.html',
  ]
  for (const body of bodies) {
    const html = readFileSync(new URL(`../../src/${body}`, import.meta.url), 'utf8')
    const words = [...html.matchAll(/>\s*([^<>]*\p{L}{2}[^<>]*)</gu)].map(([, text]) => text)
    expect(words.filter(text => text !== 'Dragoman')).toEqual([])
    expect(html).not.toMatch(/ (?:aria-label|title|placeholder)="/)
  }
})

test('counts take the form of their language', () => {
  const forms = { one: '# x', other: '# y' }
  expect([0, 1, 2, 12_345].map(count => counted('en')(count, forms))).toEqual([
    '0 y',
    '1 x',
    '2 y',
    '12,345 y',
  ])
  expect(counted('fr')(0, forms)).toBe('0 x')
  expect(counted('de')(12_345, forms)).toBe('12.345 y')
})

test.each([
  ['es-MX,es;q=0.9,en;q=0.8', 'es'],
  ['ja, de;q=0.5, en;q=0.9', 'en'],
  ['ja-JP', 'en'],
  ['pt-BR', 'pt'],
  ['de;q=0, fr;q=0.1', 'fr'],
  ['*', 'en'],
  ['constructor,__proto__;q=x', 'en'],
  [undefined, 'en'],
] as const)('a browser that asks for %s gets %s', (header, language) => {
  expect(acceptedLanguage(header)).toBe(language)
})
