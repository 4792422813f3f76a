import { expect, test } from 'vitest'
import { cuesIn, documentOf } from '../../../src/web/transcripts/one-language.ts'
import type { TranscriptEntry } from '../../../src/web/transcripts/transcript.ts'

let count = 0
/** Speech of `seconds` from `at` on, in Spanish by Ana unless stated otherwise. */
function entry(at: number, seconds: number, more: Partial<TranscriptEntry>): TranscriptEntry {
  return {
    ...{ utterance: `u${++count}`, speaker: 'ana', name: 'Ana', from: 'es-es', to: 'en-us' },
    ...{ text: 'hola', translation: 'hello', startMs: at * 1_000, endMs: (at + seconds) * 1_000 },
    ...more,
  }
}
const textsIn = (entries: readonly TranscriptEntry[], language: string) =>
  cuesIn(entries, language).map(({ speaker, lines }) => `${speaker} ${lines[0]?.language}: ${lines[0]?.text}`)

const spoken = [
  entry(0, 2, { to: 'fr-fr', translation: 'bonjour' }),
  entry(0, 2, {}),
  entry(3, 1, { speaker: 'ben', name: 'Ben', from: 'en-us', to: 'es-es', text: 'yes', translation: 'sí' }),
]

test('each speech is there once, in the language of the reader', () => {
  expect(textsIn(spoken, 'en-us')).toEqual(['Ana en-us: hello', 'Ben en-us: yes'])
  expect(textsIn(spoken, 'en-gb')).toEqual(['Ana en-us: hello', 'Ben en-us: yes'])
  expect(textsIn(spoken, 'es-mx')).toEqual(['Ana es-es: hola', 'Ben es-es: sí'])
})

test('without a translation, it is in its own language', () => {
  expect(textsIn(spoken, 'fr-fr')).toEqual(['Ana fr-fr: bonjour', 'Ben en-us: yes'])
  expect(textsIn(spoken, 'de-de')).toEqual(['Ana es-es: hola', 'Ben en-us: yes'])
  expect(textsIn([entry(0, 1, { translation: ' ' })], 'en-us')).toEqual(['Ana es-es: hola'])
  expect(textsIn([entry(0, 1, { text: '' })], 'es-es')).toEqual([])
})

test('two speeches that only touch, or of two people at once, are both there', () => {
  const two = [entry(0, 4, { to: 'fr-fr', text: 'uno' }), entry(3, 4, { text: 'dos' })]
  expect(textsIn(two, 'es-es')).toEqual(['Ana es-es: uno', 'Ana es-es: dos'])
  const both = [entry(0, 4, {}), entry(0, 4, { speaker: 'eva', name: 'Eva' })]
  expect(textsIn(both, 'es-es')).toEqual(['Ana es-es: hola', 'Eva es-es: hola'])
  // Repetitions into one language are different utterances.
  expect(textsIn([entry(0, 2, {}), entry(1, 2, {})], 'en-us')).toEqual([
    'Ana en-us: hello',
    'Ana en-us: hello',
  ])
})

test('documents', () => {
  const cues = cuesIn(spoken, 'en-us')
  expect(documentOf(cues, 'text', 1_000)).toEqual({
    text: '[00:00:00] Ana (en-us): hello\n[00:00:03] Ben (en-us): yes\n',
    count: 2,
  })
  expect(documentOf(cues, 'srt', 1_000).text).toContain('00:00:00,000 --> 00:00:02,000\nAna: hello')
  expect(documentOf(cues, 'vtt', 1_000).text).toMatch(/^WEBVTT\n/)
})

test('a document that would be too large lacks its start', () => {
  const cues = cuesIn(
    Array.from({ length: 100 }, (_, at) => entry(at, 1, { translation: `number ${at}` })),
    'en-us',
  )
  const { text, count: left } = documentOf(cues, 'text', 1_000)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_000)
  expect(left).toBeGreaterThan(10)
  expect(text.trimEnd().endsWith('number 99')).toBe(true)
  expect(documentOf(cues, 'text', 5)).toEqual({ text: '', count: 0 })
})
