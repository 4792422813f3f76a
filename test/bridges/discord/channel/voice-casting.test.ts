import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CastableVoice, VoiceCasting } from '../../../../src/bridges/discord/channel/voice-casting.ts'

const voice = (id: string, language: string, gender?: string): CastableVoice => ({ id, language, gender })
const ENGLISH = ['amy', 'bea', 'cat'].map(id => voice(id, 'en-us', 'F')).concat(voice('dan', 'en-us', 'M'))
const FRENCH = [voice('zoe', 'fr-fr', 'F'), voice('yves', 'fr-fr', 'M')]

/** Speakers of Spanish. */
const spanish = (present: readonly string[]) => present.map(userId => ({ userId, language: 'es-es' }))

function english(casting: VoiceCasting, present: readonly string[]) {
  const voices = casting.of(spanish(present))
  return present.map(speaker => voices?.get(speaker)?.['en-us'])
}

describe('voices are assigned', () => {
  test('by speaker: the first two of different gender, then the others', () => {
    const casting = new VoiceCasting({ offered: () => ENGLISH })
    expect(english(casting, ['ana', 'ben', 'eva', 'leo'])).toEqual(['amy', 'dan', 'bea', 'cat'])
  })

  test('in every language that has several', () => {
    const casting = new VoiceCasting({ offered: () => [...ENGLISH, ...FRENCH, voice('one', 'de-de')] })
    expect(casting.of(spanish(['ana', 'ben']))?.get('ben')).toEqual({ 'en-us': 'dan', 'fr-fr': 'yves' })
  })

  test('for the whole interpretation: a speaker who returns has the same voice', () => {
    const casting = new VoiceCasting({ offered: () => ENGLISH })
    english(casting, ['ana', 'ben'])
    expect(english(casting, ['ben'])).toEqual(['dan'])
    expect(english(casting, ['ben', 'eva'])).toEqual(['dan', 'bea'])
    expect(english(casting, ['eva', 'ben', 'ana'])).toEqual(['bea', 'dan', 'amy'])
  })

  test('regardless of those who speak another language, and are translated into others', () => {
    const casting = new VoiceCasting({ offered: () => FRENCH })
    const language = (userId: string) => (userId === 'ben' ? 'en-us' : 'es-es')
    const speakers = ['ana', 'ben', 'eva'].map(userId => ({ userId, language: language(userId) }))
    const voices = casting.of(speakers)
    expect(speakers.map(({ userId }) => voices?.get(userId)?.['fr-fr'])).toEqual(['zoe', 'zoe', 'yves'])
  })

  test('only from those that the operator names, even if it is one', () => {
    const casting = new VoiceCasting({ offered: () => ENGLISH, only: ['cat', 'zoe'] })
    expect(english(casting, ['ana', 'ben'])).toEqual(['cat', 'cat'])
  })

  test('not at all without several, without a list, or with invalid ids', () => {
    const none = (offered: readonly CastableVoice[]) =>
      new VoiceCasting({ offered: () => offered }).of(spanish(['ana']))
    expect(none([])).toBeUndefined()
    expect(none([voice('amy', 'en-us')])).toBeUndefined()
    expect(
      none([voice('<amy>', 'en-us'), voice('bob', 'en-us'), voice('zoe', 'french'), voice('y', 'french')]),
    ).toBe(undefined)
  })

  test('when the list arrives later, and again when it changes', () => {
    let offered: readonly CastableVoice[] = []
    const casting = new VoiceCasting({ offered: () => offered })
    expect(casting.of(spanish(['ana']))).toBeUndefined()
    offered = ENGLISH
    expect(english(casting, ['ana', 'ben'])).toEqual(['amy', 'dan'])
    offered = ENGLISH.slice(0, 2)
    expect(english(casting, ['ana', 'ben'])).toEqual(['amy', 'bea'])
  })
})

test('as long as there are enough voices, no two of those present share one, and no one changes theirs', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
  const rounds = fc.array(fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), { maxLength: 12 })
  fc.assert(
    fc.property(rounds, presences => {
      const casting = new VoiceCasting({ offered: () => ENGLISH })
      const first = new Map<string, string | undefined>()
      for (const present of presences) {
        const known = new Set(present.filter(speaker => first.has(speaker)))
        const voices = english(casting, present)
        for (const [at, speaker] of present.entries()) {
          if (first.has(speaker)) expect(voices[at]).toBe(first.get(speaker))
          first.set(speaker, voices[at])
        }
        // A newcomer never takes the voice of someone present.
        for (const [at, speaker] of present.entries())
          if (!known.has(speaker)) expect(voices.filter(each => each === voices[at])).toHaveLength(1)
      }
    }),
  )
})
