import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const PAGE = new URL('../../../../src/bridges/browser/page/', import.meta.url)
// Imported by URL, because it uses browser types.
const { say, hasWords } = (await import(new URL('words.ts', PAGE).href)) as {
  say(words: string, names?: Record<string, string>): string
  hasWords(key: string): boolean
}
const html = readFileSync(new URL('talk.html', PAGE), 'utf8')

test('the English text of the document equals the messages', () => {
  const places = Array.from(html.matchAll(/data-words="([\w-]+)"[^>]*>([^<]*)</g), ([, key, text]) => [
    key,
    text,
  ])
  expect(places.length).toBeGreaterThan(20)
  for (const [key = '', text] of places) {
    expect([key, hasWords(key)]).toEqual([key, true])
    expect([key, say(key)]).toEqual([key, text])
  }
})

test('values are inserted verbatim, and unknown placeholders remain', () => {
  expect(say('numbersHint', { numbers: '<b>+1</b>' })).toBe('By phone: <b>+1</b>')
  expect(say('numbersHint')).toBe('By phone: {numbers}')
  expect(['constructor', 'toString', 'lead'].map(hasWords)).toEqual([false, false, true])
})
