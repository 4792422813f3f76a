import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  changedState,
  differences,
  initialState,
  type ParticipantChange,
} from '../../../src/core/model/participant-state.ts'

const state = initialState({ room: 'r', speaks: 'en-us', hears: 'es-es', name: 'Anna' })

describe('the state of a participant', () => {
  test('starts as in the invitation, audible and interpreted', () => {
    expect(state).toEqual({
      speaks: 'en-us',
      hears: 'es-es',
      original: 'duck',
      name: 'Anna',
      muted: false,
      interpreting: true,
    })
    expect(initialState({ room: 'r', original: 'off' })).toEqual({
      original: 'off',
      muted: false,
      interpreting: true,
    })
  })

  test('applies the given keys, removes null keys, keeps the rest', () => {
    const next = changedState(state, { hears: 'FR_fr', name: null, muted: true, speaks: undefined })
    expect(next).toEqual({
      speaks: 'en-us',
      hears: 'fr-fr',
      original: 'duck',
      muted: true,
      interpreting: true,
    })
    expect(differences(state, next)).toEqual(['hears', 'name', 'muted'])
    expect(changedState(next, { speaks: null, hears: null })).toEqual({
      original: 'duck',
      muted: true,
      interpreting: true,
    })
  })

  test('has voices for the translations of their speech, by language', () => {
    const voices = { 'en-us': 'amy', 'fr-fr': 'zoe' }
    const next = changedState(state, { translatedVoices: { EN_us: 'amy', 'fr-fr': 'zoe' } })
    expect(next.translatedVoices).toEqual(voices)
    expect(changedState(next, { translatedVoices: { ...voices } })).toBe(next)
    expect(changedState(next, { hears: 'fr-fr' }).translatedVoices).toEqual(voices)
    expect(changedState(next, { translatedVoices: null })).toEqual(state)
    expect(() => changedState(state, { translatedVoices: { english: 'amy' } })).toThrow('"english"')
    expect(() => changedState(state, { translatedVoices: { 'en-us': '<b>' } })).toThrow('voice must be an id')
    expect(() => changedState(state, { translatedVoices: 'amy' as never })).toThrow(
      'translatedVoices must be',
    )
  })

  test('stays the same object when no value differs', () => {
    expect(changedState(state, {})).toBe(state)
    expect(changedState(state, { hears: 'es-ES', muted: false, name: 'Anna' })).toBe(state)
  })

  test.each([
    [{ hears: 'spanish' }, 'language must be <language>-<region>, such as en-us; got "spanish"'],
    [{ speaks: 7 }, 'speaks must be a language like en-us, got number'],
    [{ original: 'loud' }, 'original must be one of off, low, duck, got "loud"'],
    [{ muted: 'yes' }, 'muted must be true or false, got "yes"'],
    [{ interpreting: null }, 'interpreting must be true or false'],
    [{ name: '' }, 'name must have 1 to 64 characters'],
    [{ name: 'a\nb' }, 'no control characters'],
    [
      { volume: 3 },
      'unknown key "volume"; expected speaks, hears, voice, translatedVoices, original, name, muted, interpreting',
    ],
    [{ __proto__: null, constructor: 1 }, 'unknown key "constructor"'],
  ])('rejects %j', (change, message) => {
    expect(() => changedState(state, change as ParticipantChange)).toThrow(RangeError)
    expect(() => changedState(state, change as ParticipantChange)).toThrow(message)
  })

  test('applies any change completely or rejects it', () => {
    const some = fc.option(fc.oneof(fc.string(), fc.boolean(), fc.constant('de-de'), fc.constant('low')))
    fc.assert(
      fc.property(
        fc.record(
          { speaks: some, hears: some, original: some, name: some, muted: some, interpreting: some },
          { requiredKeys: [] },
        ),
        change => {
          try {
            const next = changedState(state, change as ParticipantChange)
            expect(Object.isFrozen(next) || next === state || differences(state, next).length > 0).toBe(true)
            expect(changedState(next, change as ParticipantChange)).toBe(next)
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError)
          }
        },
      ),
      { seed: 4, numRuns: 500 },
    )
  })
})
