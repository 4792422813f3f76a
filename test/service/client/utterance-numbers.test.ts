import { describe, expect, test } from 'vitest'
import type { ReadResult } from '../../../src/service/client/result-reader.ts'
import { UtteranceNumbers, type VoiceMode } from '../../../src/service/client/utterance-numbers.ts'
import { expectAlike } from '../../support/service/result-shape-script.ts'
import { allShapes } from '../../support/service/result-shapes.ts'

describe('utterances are the same under all names and omissions of a service', () => {
  const told = allShapes(['times', 'form', 'coding'])
  test.each([...Map.groupBy(told, ({ ids, mode }) => `${ids}, ${mode}`)])('results: %s', (_, cells) => {
    for (const cell of cells) expectAlike(cell)
  })
  const voiced = allShapes(['times', 'ids', 'final', 'end']).map(
    cell => ({ ...cell, ids: 'none', end: 'nothing' }) as const,
  )
  test.each([...Map.groupBy(voiced, ({ form, mode }) => `${form}, ${mode}`)])('voices: %s', (_, cells) => {
    for (const cell of cells) expectAlike(cell)
  })
})

const voice = new Uint8Array(100)

/** The utterance numbers of results and ends (`'end'`), by first appearance. */
function numbersOf(mode: VoiceMode, steps: readonly (ReadResult | 'end' | number)[]): number[] {
  const numbers = new UtteranceNumbers(mode)
  const names: string[] = []
  let now = 0
  return steps.flatMap(step => {
    if (typeof step === 'number') {
      now += step
      return []
    }
    now += 50
    const name = step === 'end' ? numbers.end(undefined) : numbers.of(step, now)
    if (!names.includes(name)) names.push(name)
    return [names.indexOf(name) + 1]
  })
}

describe('utterances without names', () => {
  test('without a voice each closes at its final result', () => {
    const steps = [
      { text: 'a', final: false },
      { text: 'a b', final: false },
      { text: 'a b', final: true },
    ]
    expect(numbersOf('none', [...steps, ...steps, { text: 'a b', final: true }])).toEqual([
      1, 1, 1, 2, 2, 2, 3,
    ])
    expect(numbersOf('none', [{ text: 'yes' }, { text: 'yes' }, { text: 'no' }])).toEqual([1, 2, 3])
  })

  test('accepts text of the next utterance, final too, while speech is still arriving', () => {
    const steps = [
      { text: 'one', final: true },
      { audio: voice },
      { text: 'two', final: true },
      { audio: voice },
      'end',
      { audio: voice },
      { text: 'three', final: false },
      { audio: voice },
      'end',
    ] as const
    expect(numbersOf('streaming', steps)).toEqual([1, 1, 2, 1, 1, 2, 3, 2, 2])
  })

  test('without final marks, everything until the end is one utterance', () => {
    expect(
      numbersOf('block', [{ text: 'how' }, { text: 'how a' }, { text: 'How are you?', audio: voice }, 'end']),
    ).toEqual([1, 1, 1, 1])
  })

  test('a missing voice does not use that of the next utterance', () => {
    const steps = [
      { text: 'one', final: true },
      { text: 'two', final: true, audio: voice },
      'end',
      { text: 'three', final: true },
      11_000,
      { text: 'four', final: true },
      { audio: voice },
      'end',
    ] as const
    expect(numbersOf('block', steps)).toEqual([1, 2, 2, 3, 4, 4, 4])
  })

  test('missing ends: separates whole speech by text', () => {
    const say = (text: string) => ({ text, audio: voice })
    expect(numbersOf('block', [say('one'), say('two'), say('two'), say('three')])).toEqual([1, 2, 2, 3])
  })

  test('parts of a text that arrive with the pieces of one voice are one utterance', () => {
    const say = (text: string) => ({ text, audio: voice })
    expect(
      numbersOf('streaming', [
        say('ho'),
        say('la que'),
        say('tal'),
        'end',
        say('sí'),
        1_500,
        say('claro'),
        'end',
      ]),
    ).toEqual([1, 1, 1, 1, 2, 2, 2])
  })

  test('does not wait for speech of an utterance without words', () => {
    const steps = [
      { text: 'uh', final: false },
      { text: '', final: true },
      { text: 'one', final: false },
      { text: 'one', final: true },
      { audio: voice },
      'end',
    ] as const
    expect(numbersOf('streaming', steps)).toEqual([1, 1, 2, 2, 2, 2])
  })

  test('ignores repeated ends', () => {
    const steps = [
      { text: 'one', audio: voice },
      'end',
      'end',
      { text: 'two', audio: voice },
      'end',
      'end',
    ] as const
    expect(numbersOf('block', steps)).toEqual([1, 1, 1, 2, 2, 2])
  })
})

describe('ids', () => {
  const interim = (name: string, text: string) => ({ name, text, final: false })
  const final = (name: string, text: string, more: object = {}) => ({ name, text, final: true, ...more })

  test('of utterances that overlap', () => {
    const numbers = new UtteranceNumbers('streaming')
    const steps: readonly ReadResult[] = [
      interim('a', 'o'),
      interim('a', 'one'),
      interim('b', 't'),
      final('a', 'one', { audio: voice }),
      interim('b', 'two'),
      final('b', 'two'),
      { name: 'a', audio: voice },
      { name: 'b', audio: voice },
    ]
    expect(steps.map((step, n) => numbers.of(step, n * 50))).toEqual(steps.map(({ name }) => name))
    expect([numbers.end('a'), numbers.end('b')]).toEqual(['a', 'b'])
  })

  test('a repetition after the end keeps its id; other words with it show that it is not of an utterance', () => {
    const numbers = new UtteranceNumbers('none')
    expect(numbers.of(final('1', 'yes'), 0)).toBe('1')
    expect(numbers.of(final('1', 'yes'), 100)).toBe('1')
    const others = ['no', 'yes', 'yes'].map((text, n) => numbers.of(final('1', text), 1_000 + n * 100))
    expect(new Set(['1', ...others]).size).toBe(4)
  })
})
