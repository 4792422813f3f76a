import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Caption, readCaption } from '../../../../src/web/captions/page/caption.ts'
import { CaptionStore } from '../../../../src/web/captions/page/caption-store.ts'

const caption = (utterance: string, more: Partial<Caption> = {}): Caption => ({
  utterance,
  speaker: 'anna',
  from: 'en-us',
  to: 'es-es',
  final: true,
  text: utterance,
  startMs: 0,
  endMs: 0,
  ...more,
})
const book = (...captions: Caption[]) => {
  const one = new CaptionStore()
  one.inLife('a')
  for (const each of captions) one.take(each)
  return one
}
const said = (one: CaptionStore) => one.entries.map(({ text }) => text)

describe('captions in the book', () => {
  test('are in order of their start, each once, in their latest version', () => {
    const one = book(
      caption('1', { startMs: 0, text: 'gro', final: false }),
      caption('2', { startMs: 500, speaker: 'bob' }),
      caption('1', { startMs: 0, text: 'growing', final: false }),
      caption('1', { startMs: 0, text: 'growing on', final: false }),
      caption('1', { startMs: 0, text: 'grown' }),
      caption('0', { startMs: 100 }),
    )
    expect(said(one)).toEqual(['grown', '0', '2'])
    expect(one.take(caption('1', { text: 'late', final: false }))).toBe(false)
    expect(said(one)).toEqual(['grown', '0', '2'])
  })

  test('do not change when a replay repeats them', () => {
    const captions = fc.array(
      fc.record({ utterance: fc.integer({ min: 0, max: 9 }), startMs: fc.nat(1_000), final: fc.boolean() }),
    )
    fc.assert(
      fc.property(captions, fc.nat(), (all, from) => {
        const told = all.map(({ utterance, startMs, final }) =>
          caption(String(utterance), { startMs, final, text: `${utterance}` }),
        )
        const once = book(...told)
        const again = book(...told, ...told.slice(from % (told.length + 1)).filter(({ final }) => final))
        expect(said(again).toSorted()).toEqual(said(once).toSorted())
        // The latest version of each is kept, and final ones stay final.
        for (const { utterance, final } of told) if (final) expect(again.find(utterance)?.final).toBe(true)
        for (const each of again.entries) expect(again.find(each.utterance)).toBe(each)
        expect(new Set(said(again)).size).toBe(again.entries.length)
        const starts = again.entries.map(({ startMs }) => startMs)
        expect(starts).toEqual(starts.toSorted((a, b) => a - b))
      }),
      { seed: 11 },
    )
  })

  test('of a transcript are inserted in order, without changing existing ones', () => {
    const one = book(caption('1'), caption('4'))
    one.fill([caption('1', { text: 'other' }), caption('2'), caption('3'), caption('4'), caption('5')])
    expect(said(one)).toEqual(['1', '2', '3', '4', '5'])
  })

  test('of the room’s next life are separate and follow the earlier ones', () => {
    const one = book(caption('1', { startMs: 5_000 }))
    one.inLife('b')
    one.take(caption('1', { text: 'again', startMs: 0 }))
    expect(said(one)).toEqual(['1', 'again'])
    expect(one.find('1')?.text).toBe('again')
  })

  test('grow until they are final or their speaker starts a new utterance', () => {
    const one = book(
      caption('1', { final: false }),
      caption('2', { startMs: 10, speaker: 'bob', final: false }),
      caption('3', { startMs: 10, to: 'de-de' }),
    )
    const grows = () => one.entries.map(each => one.grows(each))
    expect(grows()).toEqual([true, true, false])
    one.take(caption('4', { startMs: 20, final: false }))
    expect(grows()).toEqual([false, true, false, true])
    // A late replay does not make a caption newer.
    one.take(caption('0', { startMs: 5, final: false }))
    expect(one.entries.filter(each => one.grows(each)).map(({ text }) => text)).toEqual(['2', '4'])
  })

  test('are limited in number', () => {
    const one = book()
    for (let n = 0; n < 5_100; n++) one.take(caption(String(n), { startMs: n }))
    expect([one.entries.length, one.forgotten, one.entries[0]?.text]).toEqual([5_000, 100, '100'])
  })
})

describe('a speaker who is translated into two languages', () => {
  const into = (to: string, startMs: number) =>
    caption(`${to} ${startMs}`, { to, startMs, endMs: startMs + 1_000 })
  const leading = (one: CaptionStore) => one.entries.filter(each => one.leads(each)).map(({ text }) => text)

  test('is shown in the original once', () => {
    const one = book(into('es-es', 0), into('de-de', 10), into('de-de', 2_000), into('es-es', 2_100))
    expect(leading(one)).toEqual(['es-es 0', 'es-es 2100'])
  })

  test('is still shown after the listener of one language has left, from the last words on', () => {
    const one = book(into('es-es', 0), into('de-de', 10), into('de-de', 2_000), into('de-de', 8_000))
    expect(leading(one)).toEqual(['es-es 0'])
    one.take(into('de-de', 12_000))
    expect(leading(one)).toEqual(['es-es 0', 'de-de 2000', 'de-de 8000', 'de-de 12000'])
  })
})

describe('a caption from the server', () => {
  test('is stripped of bidirectional control characters', () => {
    const given = { ...caption('1'), name: ' \u202eAnna ', text: '\u2066hello\u2069', translation: 7 }
    const { translation: _, ...read } = caption('1', { name: 'Anna', text: 'hello' })
    expect(readCaption(given)).toEqual(read)
  })

  test('names each engine that serves instead of another once, as text', () => {
    const read = (standIns: unknown) => readCaption({ ...caption('1'), standIns })!
    const read1 = read({ translation: '\u202eespeak', synthesis: 'espeak', other: 5 })
    expect(read1.standIns).toEqual(['espeak'])
    expect(read1.standIns).toEqual(['espeak'])
    expect(read({}).standIns).toEqual([])
    expect(read('espeak').standIns).toBeUndefined()
  })

  test('is ignored if it is invalid', () => {
    fc.assert(
      fc.property(fc.anything(), value => {
        const one = readCaption(value)
        expect(one === undefined || typeof one.utterance === 'string').toBe(true)
      }),
      { seed: 3 },
    )
    for (const key of ['utterance', 'speaker', 'from', 'to', 'startMs', 'endMs'])
      expect(readCaption({ ...caption('1'), [key]: null }), key).toBeUndefined()
  })
})
