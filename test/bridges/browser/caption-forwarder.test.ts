import { expect, test } from 'vitest'
import { CaptionForwarder } from '../../../src/bridges/browser/session.ts'
import { initialState } from '../../../src/core/model/participant-state.ts'

const party = (id: string, hears: string, more = {}) => {
  const invitation = { room: 'r', hears, ...more }
  return { id, invitation, state: initialState(invitation) }
}
const ROOM = [party('anna', 'en-us'), party('bob', 'fr-fr'), party('cleo', 'es-es')]
/**
 * Languages in which a reader gets captions of Anna’s English: her target languages, with '' where the caption is
 * omitted.
 */
const read = (id: string, hears: string, room = ROOM, targets = ['es-es', 'fr-fr'], speaker = 'anna') => {
  const reading = new CaptionForwarder()
  return targets.flatMap(to => {
    const said = { room: 'r', speaker, from: 'en-us', to, final: true, text: 'yes', translation: to }
    const caption = reading.of({ ...said, utterance: `${speaker}.${to}` }, { id, hears }, room)
    return caption ? [caption.translation ?? ''] : []
  })
}

test('each visitor reads captions in the language they hear, and those in their own language once', () => {
  expect(read('cleo', 'es-es')).toEqual(['es-es'])
  expect(read('bob', 'fr-fr')).toEqual(['fr-fr'])
  expect(read('anna', 'en-us')).toEqual(['fr-fr'])
  // English is English.
  expect(read('dora', 'en-gb')).toEqual([''])
  // Visitors who speak one language and hear another read their own words once, too.
  expect(read('anna', 'es-es', [party('anna', 'es-es'), ...ROOM.slice(1)])).toEqual(['fr-fr'])
  // Alone, and with participants who only speak.
  expect(read('anna', 'es-es', [party('anna', 'es-es')], ['es-es'])).toEqual(['es-es'])
  const speaks = party('dan', 'fr-fr', { receives: 'none' })
  expect(read('anna', 'en-us', [speaks, ...ROOM.slice(2)])).toEqual(['es-es'])
  // Messages of the system.
  expect(read('cleo', 'es-es', ROOM, ['en-us', 'es-es', 'fr-fr'], 'system')).toEqual(['es-es'])
})

test('an utterance is shown to its end in the language in which it started', () => {
  const reading = new CaptionForwarder()
  const said = { room: 'r', speaker: 'anna', from: 'en-us', to: 'es-es', utterance: 'anna.1', text: 'yes' }
  const of = (final: boolean, hears: string) => reading.of({ ...said, final }, { id: 'cleo', hears }, ROOM)
  expect(of(false, 'es-es')).toBeDefined()
  expect(of(true, 'fr-fr')).toBeDefined()
  expect(of(true, 'fr-fr')).toBeUndefined()
})
