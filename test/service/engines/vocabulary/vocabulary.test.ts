import { describe, expect, test } from 'vitest'
import { noopLogger } from '../../../../src/common/log.ts'
import type { TextTranslator } from '../../../../src/service/engines/engine.ts'
import { serveInterpreters, serveRecognizers } from '../../../../src/service/engines/serve.ts'
import { EngineUsage } from '../../../../src/service/engines/usage/engine-usage.ts'
import { GlossaryTranslator } from '../../../../src/service/engines/vocabulary/glossary-translator.ts'
import { Phrasebook } from '../../../../src/service/engines/vocabulary/phrasebook.ts'
import { Vocabulary, vocabularySchema } from '../../../../src/service/engines/vocabulary/vocabulary.ts'
import { WordMatcher } from '../../../../src/service/engines/vocabulary/word-matcher.ts'
import { FakeInterpreter, FakeRecognizer } from '../../../support/engines/fake-engines.ts'

const SETTINGS = vocabularySchema.parse({
  terms: ['Dragoman', 'Ana Núñez', 'O’Hara'],
  glossary: [
    { 'en-us': 'invoice', 'es-es': 'factura', 'fr-fr': 'facture' },
    { 'en-us': 'front desk', 'es-es': 'recepción' },
    { 'en-us': 'foot', 'es-es': 'pie' },
  ],
  about: 'a hotel',
})
const vocabulary = new Vocabulary(SETTINGS)

/** Into Spanish. */
function translatorBy(translate: TextTranslator['translate']): TextTranslator {
  return { name: 'fake', targets: () => ['es-es'], prepare() {}, translate, close: async () => {} }
}

describe('matching words', () => {
  const matcher = new WordMatcher([
    ['new york', 1],
    ['New York City', 2],
    ['Ñandú', 3],
    ['東京', 4],
  ])
  test.each([
    ['in new york now', [1]],
    ['in NEW  YORK city!', [2]],
    ['new, york', []],
    ['renew yorks', []],
    ['a nandu and an ÑANDÚ', [3, 3]],
    ['私は東京に', [4]],
    ['', []],
  ])('%j', (text, values) => {
    expect(matcher.find(text).map(({ value }) => value)).toEqual(values)
  })

  test('replaces in place', () => {
    const titles = new WordMatcher([['ana nunez', 'Ana Núñez']])
    expect(titles.replace('(ana nuñez), and Ana.', name => name)).toBe('(Ana Núñez), and Ana.')
  })
})

describe('settings', () => {
  test.each([
    [{ terms: ['a\nb'] }],
    [{ terms: ['<b>'] }],
    [{ terms: [' '] }],
    [{ terms: ['x'.repeat(51)] }],
    [{ glossary: [{ 'en-us': 'invoice' }] }],
    [{ glossary: [{ english: 'invoice', 'es-es': 'factura' }] }],
  ])('reject %j', settings => {
    expect(vocabularySchema.safeParse(settings).success).toBe(false)
  })
})

test('terms of a language are those of all languages and its own of the glossary', () => {
  expect(vocabulary.terms('es-mx')).toEqual([...SETTINGS.terms, 'factura', 'recepción', 'pie'])
  expect(vocabulary.terms('de-de')).toEqual(SETTINGS.terms)
})

test('a glossary applies to all regions of its languages, in both directions', () => {
  expect(vocabulary.glossary('en-gb', 'fr-ca')).toEqual([{ source: 'invoice', target: 'facture' }])
  expect(vocabulary.glossary('fr-fr', 'es-419')).toEqual([{ source: 'facture', target: 'factura' }])
  expect(vocabulary.glossary('en-us', 'en-gb')).toEqual([])
})

test('an utterance that is a term needs no translator', async () => {
  const phrasebook = await Phrasebook.load(undefined, vocabulary.phrases())
  expect(phrasebook.lookup('Front desk?', 'en-gb', 'es-mx')).toBe('recepción')
  expect(phrasebook.lookup('factura', 'es-es', 'fr-fr')).toBe('facture')
})

describe('engines', () => {
  const usage = new EngineUsage()
  const serving = { vocabulary, phrases: new Phrasebook(), usage, log: noopLogger }

  test('a recognizer with terms gets them; another one has their spelling corrected', async () => {
    const requests: unknown[] = []
    const texts: string[] = []
    const sink = {
      partial: ({ text }: { text: string }) => void texts.push(text),
      final: ({ text }: { text: string }) => void texts.push(text),
      failed: () => {},
    }
    for (const takesTerms of [true, false]) {
      const fake = new FakeRecognizer()
      const engine = Object.assign(fake, { takesTerms, open: observed(fake, requests) })
      const [served] = serveRecognizers([{ engine, meter: usage.meter('transcription', 'ears') }], serving)
      await served!.open('en-us', sink, { grammar: 'desk' })
      fake.streams[0]?.guess('call dragoman')
      fake.streams[0]?.hear("ana nunez and o'hara")
    }
    const terms = vocabulary.terms('en-us')
    expect(requests).toEqual(Array(2).fill({ grammar: 'desk', terms, about: 'a hotel' }))
    expect(texts).toEqual([
      ...['call dragoman', "ana nunez and o'hara"],
      ...['call Dragoman', 'Ana Núñez and O’Hara'],
    ])
  })

  test('an interpreter gets terms and glossary', async () => {
    const requests: unknown[] = []
    const fake = new FakeInterpreter()
    const open = fake.open.bind(fake)
    const observing = Object.assign(fake, {
      open: (request: never, sink: never) => {
        requests.push(request)
        return open(request, sink)
      },
    })
    const sink = { partial() {}, audio() {}, final() {}, failed() {} }
    const meter = usage.meter('interpretation', 'both')
    const [served] = serveInterpreters([{ engine: observing, meter }], serving)
    await served!.open({ from: 'en-us', to: 'fr-fr' }, sink)
    const glossary = [{ source: 'invoice', target: 'facture' }]
    expect(requests).toMatchObject([{ from: 'en-us', terms: vocabulary.terms('en-us'), glossary }])
  })
})

function observed(fake: FakeRecognizer, requests: unknown[]): FakeRecognizer['open'] {
  const open = fake.open.bind(fake)
  return (language, sink, options?: unknown) => {
    requests.push(options)
    return open(language, sink)
  }
}

describe('a translator without a glossary', () => {
  test('a term that is lost is translated without the glossary, in order', async () => {
    const asked: string[] = []
    // Knows the word "pie", as Apertium does.
    const translator = translatorBy(async text => {
      asked.push(text)
      await new Promise(resolve => setTimeout(resolve, 20 / asked.length))
      return text.replace('pie', 'pastel').replace('foot', 'pie').replace('the', 'el')
    })
    const engine = new GlossaryTranslator(translator, vocabulary)
    const settled: number[] = []
    const translations = await Promise.all(
      ['the foot', 'the house'].map((text, index) =>
        engine.translate(text, 'en-us', 'es-es').finally(() => settled.push(index)),
      ),
    )
    expect(translations).toEqual(['el pie', 'el house'])
    expect(settled).toEqual([0, 1])
    expect(asked).toEqual(['the pie', 'the house', 'the foot'])
  })
})
