import { expect, test } from 'vitest'
import { catalogKeys, messagesFor, messagesOf } from '../../src/messages/locale.ts'

const CATALOG = { en: 'hello', es: 'hola', 'es-mx': 'qué tal' }

test('a region has its own messages, otherwise those of its language', () => {
  expect(messagesOf(CATALOG, 'es-mx')).toBe('qué tal')
  expect(messagesOf(CATALOG, 'es-MX')).toBe('qué tal')
  expect(messagesOf(CATALOG, 'es-419')).toBe('hola')
  expect(messagesOf(CATALOG, 'es')).toBe('hola')
  expect(catalogKeys(CATALOG, 'es-mx')).toEqual(['es-mx', 'es'])
  expect(catalogKeys(CATALOG, 'es')).toEqual(['es'])
})

test('a language without messages gets English only where a fallback is wanted', () => {
  for (const tag of ['ja-jp', 'e', '', 'constructor', 'esperanto']) {
    expect(messagesOf(CATALOG, tag), tag).toBeUndefined()
    expect(catalogKeys(CATALOG, tag), tag).toEqual([])
    expect(messagesFor(CATALOG, tag), tag).toBe('hello')
  }
})
