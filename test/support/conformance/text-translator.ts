import { expect } from 'vitest'
import { isLanguageId, sameLanguage } from '../../../src/common/language.ts'
import type { TextTranslator } from '../../../src/service/engines/engine.ts'
import type { Checks } from './suite.ts'

/** Sentences for testing an engine. */
export interface TranslationMaterial {
  readonly engine: TextTranslator
  readonly from: string
  readonly to: string
  /** A sentence, and a word that its translation must have. */
  readonly sentences: readonly (readonly [sentence: string, word: string])[]
}

/** Checks that every `TextTranslator` passes. */
export const textTranslatorChecks: Checks<TranslationMaterial> = {
  async 'lists languages in the interface’s form, and never a pair of the same language'({
    engine,
    from,
    to,
  }) {
    expect(engine.targets(from)).toContain(to)
    for (const target of engine.targets(from)) {
      expect(isLanguageId(target), target).toBe(true)
      expect(sameLanguage(from, target), target).toBe(false)
    }
    expect(engine.targets('xx-xx')).toEqual([])
  },

  async translates({ engine, from, to, sentences }) {
    for (const [sentence, word] of sentences) {
      const words = (await engine.translate(sentence, from, to)).toLowerCase().match(/\p{L}+/gu)
      expect(words).toContain(word)
    }
  },

  async 'rejects a pair that it does not list'({ engine, from }) {
    await expect(engine.translate('good morning', from, 'xx-xx')).rejects.toThrow(RangeError)
  },

  async 'returns each of many concurrent answers to its request'({ engine, from, to, sentences }) {
    const asked = Array.from({ length: 40 }, (_, index) => sentences[index % sentences.length]!)
    const alone = new Map<string, string>()
    for (const [sentence] of sentences) alone.set(sentence, await engine.translate(sentence, from, to))
    const together = await Promise.all(asked.map(([sentence]) => engine.translate(sentence, from, to)))
    expect(together).toEqual(asked.map(([sentence]) => alone.get(sentence)))
  },

  async 'stays in sync after unusual characters'({ engine, from, to, sentences }) {
    const odd = ['', ' ', '^$/[]{}<>@\\', 'a\0b\nc', '[][\n]', '😀 ok', '-z', '"; exit; "', '.'.repeat(500)]
    for (const text of odd) expect(typeof (await engine.translate(text, from, to))).toBe('string')
    const [sentence, word] = sentences[0]!
    expect((await engine.translate(sentence, from, to)).toLowerCase()).toContain(word)
  },

  async 'rejects after close'({ engine, from, to }) {
    engine.prepare(from, to)
    await engine.close()
    await engine.close()
    await expect(engine.translate('the house is very small', from, to)).rejects.toThrow()
  },
}
