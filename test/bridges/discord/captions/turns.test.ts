import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Turn } from '../../../../src/bridges/discord/captions/turns.ts'
import { Turns } from '../../../../src/bridges/discord/captions/turns.ts'
import type { Caption } from '../../../../src/core/model/caption.ts'

const caption = (given: Partial<Caption>): Caption => ({
  room: 'r',
  speaker: 'ann',
  name: 'Ann',
  utterance: 'ann.1.1',
  from: 'en-us',
  to: 'es-es',
  final: true,
  ...given,
})

/** Returns the last state of each turn: original, then translations by language. */
function told(turns: readonly Turn[]): Record<string, string>[] {
  const last = new Map<number, Record<string, string>>()
  for (const { id, original, translations } of turns) {
    const lines: Record<string, string> = { original: original.text }
    for (const [to, { text }] of translations) lines[to] = text
    last.set(id, lines)
  }
  return Array.from(last)
    .sort(([a], [b]) => a - b)
    .map(([, lines]) => lines)
}

function taken(captions: readonly Caption[], turns = new Turns()): Turn[] {
  return captions.flatMap((each, n) => turns.take(each, n * 100) ?? [])
}

describe('turns', () => {
  it('grow from the first partial to the final result', () => {
    const seen = taken([
      caption({ final: false, text: 'good' }),
      caption({ final: false, text: 'good morning', translation: 'buenos' }),
      caption({ final: true, text: 'good morning', translation: 'buenos días' }),
    ])
    expect(seen.map(({ id }) => id)).toEqual([1, 1, 1])
    expect(seen.map(({ final }) => final)).toEqual([false, false, true])
    expect(told(seen)).toEqual([{ original: 'good morning', 'es-es': 'buenos días' }])
  })

  it('have the original once and one translation per language', () => {
    const seen = taken([
      caption({ text: 'good morning', translation: 'buenos días' }),
      caption({ to: 'fr-fr', utterance: 'ann.2.1', text: 'good morning', translation: 'bonjour' }),
    ])
    expect(told(seen)).toEqual([{ original: 'good morning', 'es-es': 'buenos días', 'fr-fr': 'bonjour' }])
  })

  it('keep two sentences apart when one language lags', () => {
    const es = (n: number, text: string) => caption({ utterance: `ann.1.${n}`, text, translation: `es ${n}` })
    const fr = (n: number, text: string) =>
      caption({ to: 'fr-fr', utterance: `ann.2.${n}`, text, translation: `fr ${n}` })
    const seen = taken([
      es(1, 'good morning everyone'),
      es(2, 'how are you today'),
      fr(1, 'good morning every body'),
      fr(2, 'how are you today'),
    ])
    expect(told(seen)).toEqual([
      { original: 'good morning everyone', 'es-es': 'es 1', 'fr-fr': 'fr 1' },
      { original: 'how are you today', 'es-es': 'es 2', 'fr-fr': 'fr 2' },
    ])
  })

  it('start a separate turn for speech that only one language reports', () => {
    const seen = taken([
      caption({ text: 'good morning everyone', translation: 'es' }),
      caption({ to: 'fr-fr', utterance: 'ann.2.1', text: 'the weather is fine', translation: 'fr' }),
    ])
    expect(told(seen)).toEqual([
      { original: 'good morning everyone', 'es-es': 'es' },
      { original: 'the weather is fine', 'fr-fr': 'fr' },
    ])
  })

  it('continue with the repeated results of an interrupted session', () => {
    const seen = taken([
      caption({ final: false, text: 'good morning every' }),
      caption({
        utterance: 'ann.1.2',
        final: true,
        text: 'good morning everyone',
        translation: 'buenos días',
      }),
    ])
    expect(told(seen)).toEqual([{ original: 'good morning everyone', 'es-es': 'buenos días' }])
  })

  it('compare times if there are no words to compare', () => {
    const spoken = (fromMs: number, toMs: number) => ({ spoken: { fromMs, toMs } })
    const seen = taken([
      caption({ translation: 'uno', ...spoken(0, 1_000) }),
      caption({ utterance: 'ann.1.2', translation: 'dos', ...spoken(2_000, 3_000) }),
      caption({ to: 'fr-fr', utterance: 'ann.2.1', translation: 'deux', ...spoken(2_100, 3_000) }),
    ])
    expect(told(seen)).toEqual([
      { original: '', 'es-es': 'uno' },
      { original: '', 'es-es': 'dos', 'fr-fr': 'deux' },
    ])
  })

  it('do not change once final, and do not start without text', () => {
    const turns = new Turns()
    expect(turns.take(caption({ text: '' }), 0)).toBeUndefined()
    expect(turns.take(caption({ text: 'one' }), 0)).toBeDefined()
    expect(turns.take(caption({ final: false, text: 'one two' }), 0)).toBeUndefined()
  })

  it('are transcripts if no translation is needed', () => {
    expect(told(taken([caption({ to: 'en-us', text: 'hello', translation: 'hello' })]))).toEqual([
      { original: 'hello' },
    ])
  })

  it('become final after a timeout, and are forgotten later', () => {
    const turns = new Turns({ quietMs: 8_000, keepMs: 30_000 })
    turns.take(caption({ final: false, text: 'well' }), 0)
    expect(turns.due(7_900)).toEqual([])
    expect(turns.due(8_000).map(({ final, original }) => [final, original.text])).toEqual([[true, 'well']])
    expect(turns.due(9_000)).toEqual([])
    turns.due(30_000)
    expect(turns.size).toBe(0)
  })

  const WORDS = [
    'apple',
    'river',
    'mountain',
    'yellow',
    'seven',
    'quickly',
    'garden',
    'window',
    'tuesday',
    'music',
  ]
  const LANGUAGES = ['es-es', 'fr-fr', 'de-de']

  it('are complete, in any interleaving of languages and partials', () => {
    const sentence = fc.shuffledSubarray(WORDS, { minLength: 4, maxLength: 7 })
    fc.assert(
      fc.property(
        fc.array(sentence, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 120 }),
        (sentences, languages, turnOf) => {
          // Sentences with the same words cannot be distinguished, and need not be.
          const texts = sentences.map((words, n) => `${words.join(' ')} ${'abcdef'[n]!.repeat(12)}`)
          const lanes = LANGUAGES.slice(0, languages).map((to, lane) =>
            texts.flatMap((text, n) => {
              const utterance = `ann.${lane}.${n}`
              const words = text.split(' ')
              return [
                caption({ to, utterance, final: false, text: words.slice(0, 3).join(' ') }),
                caption({ to, utterance, final: true, text, translation: `${to} ${n}` }),
              ]
            }),
          )
          const mixed: Caption[] = []
          for (const lane of turnOf) mixed.push(...lanes[lane % languages]!.splice(0, 1))
          for (const lane of lanes) mixed.push(...lane)
          const expected = texts.map((original, n) => ({
            original,
            ...Object.fromEntries(LANGUAGES.slice(0, languages).map(to => [to, `${to} ${n}`])),
          }))
          const seen = told(taken(mixed))
          const key = ({ original }: { original?: string }) => original!
          expect(seen.sort((a, b) => key(a).localeCompare(key(b)))).toEqual(
            expected.sort((a, b) => key(a).localeCompare(key(b))),
          )
        },
      ),
      { seed: 5, numRuns: 300 },
    )
  })
})
