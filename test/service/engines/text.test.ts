import { describe, expect, test } from 'vitest'
import { decodeAnswer, encodeRequest } from '../../../src/service/engines/local/apertium/pipeline.ts'
import { cleanTranscript } from '../../../src/service/engines/local/pocketsphinx/decoder.ts'
import { edited } from '../../../src/service/engines/text-normalization.ts'
import { Phrasebook } from '../../../src/service/engines/vocabulary/phrasebook.ts'

test('removes fillers and variants from a transcript', () => {
  expect(cleanTranscript('<s> and(2) <sil> mister [NOISE] ++UH++ john </s>')).toBe('and mister john')
})

describe('before translation', () => {
  const asked = (text: string) => edited(text, 'en', 'es').before
  test('English is written as a translator expects it', () => {
    expect(asked("i think i'll see mr smith on monday")).toBe("I think I'll see Mr. smith on Monday")
    expect(asked('mister jones is here')).toBe('Mr. jones is here')
    expect(asked('it is mine')).toBe('It is mine')
  })

  test('removes please and restores it in the other language', () => {
    const { before, after } = edited('hold the line please', 'en', 'es')
    expect(before).toBe('Hold the line')
    expect(after('Aguarde en la línea.')).toBe('Aguarde en la línea, por favor.')
    expect(edited('please', 'en', 'es').after('complacer')).toBe('Por favor.')
  })

  test('returns a sentence; an empty text stays empty', () => {
    expect(edited('no', 'es', 'en').after('it is small')).toBe('It is small.')
    expect(edited('no', 'es', 'en').after('is it?')).toBe('Is it?')
    expect(edited('', 'en', 'es').after('')).toBe('')
  })
})

describe('the phrasebook', () => {
  const book = new Phrasebook({ en: { es: { hello: 'Hola.', 'can you hear me': '¿Me oye?' } } })
  test('finds a phrase in any case and punctuation', () => {
    expect(book.lookup('Can you HEAR me?', 'en-gb', 'es-mx')).toBe('¿Me oye?')
  })
  test('finds consecutive phrases, but not a text with other words', () => {
    expect(book.lookup('hello hello can you hear me', 'en-us', 'es-es')).toBe('Hola. Hola. ¿Me oye?')
    expect(book.lookup('hello my friend', 'en-us', 'es-es')).toBeUndefined()
    expect(book.lookup('hello', 'en-us', 'fr-fr')).toBeUndefined()
    expect(book.lookup('', 'en-us', 'es-es')).toBeUndefined()
  })
  test('includes phrases for the phone', async () => {
    const shipped = await Phrasebook.load()
    expect(shipped.lookup("i don't understand", 'en-us', 'es-es')).toBe('No entiendo.')
    expect(shipped.lookup('good morning how are you', 'en-us', 'es-es')).toBe('Buenos días. ¿Cómo está?')
  })
})

test('encodes requests to a pipeline as one escaped line, and decodes them unchanged', () => {
  expect(encodeRequest(' a^b\n\0c ')).toBe('a\\^b c.[][\n]')
  for (const text of ['plain', 'a [b] {c} <d> @ ^ $ / \\', '1.5 €'])
    expect(decodeAnswer(encodeRequest(text))).toBe(text)
})
