import { describe, expect, it } from 'vitest'
import { memberName } from '../../../../../src/bridges/discord/channel/guild-view.ts'
import { People } from '../../../../../src/bridges/discord/channel/people.ts'
import { MemoryPreferences } from '../../../../../src/bridges/discord/preferences.ts'

function started() {
  const preferences = new MemoryPreferences()
  const locales = new Map<string, string>()
  const people = new People({
    view: { people: () => [{ userId: 'ana', name: 'Ana', speaks: true }] },
    preferences,
    localeOf: userId => locales.get(userId),
    nearest: language => (language === 'es-419' || language === 'es-mx' ? 'es-es' : language),
    fallback: 'en-us',
  })
  const ana = () => people.in('1')[0]!
  return { people, preferences, locales, ana }
}

describe('the language of a member', () => {
  it('is the one set here, otherwise set elsewhere, the client’s, or the guild’s', () => {
    const { people, preferences, locales, ana } = started()
    expect(ana()).toMatchObject({ language: 'en-us', languageFrom: 'default' })
    locales.set('ana', 'fr')
    expect(ana()).toMatchObject({ language: 'fr-fr', languageFrom: 'locale' })
    preferences.setLanguage('ana', 'de-de')
    expect(ana()).toMatchObject({ language: 'de-de', languageFrom: 'asked' })
    people.setLanguage('ana', 'it-it')
    expect(ana()).toMatchObject({ language: 'it-it', languageFrom: 'asked' })
  })

  it('is forgotten on request, but an opt-out is not', () => {
    const { people, ana } = started()
    people.setLanguage('ana', 'it-it')
    people.setConsent('ana', false)
    people.forget('ana')
    expect(ana()).toMatchObject({ language: 'en-us', languageFrom: 'default', consents: false })
  })

  it('is mapped to a translatable one if it is a guess', () => {
    const { locales, ana } = started()
    locales.set('ana', 'es-419')
    expect(ana().language).toBe('es-es')
  })
})

describe('the consent of a member', () => {
  it('is withdrawn here or anywhere, and restored where it was withdrawn', () => {
    const { people, preferences, ana } = started()
    expect(ana().consents).toBe(true)
    people.setConsent('ana', false)
    expect(ana().consents).toBe(false)
    expect(ana().informed).toBe(false)
    people.setConsent('ana', true)
    expect(ana().informed).toBe(true)
    const members = people.in('1')
    expect(people.outdated(members)).toBe(false)
    preferences.setOptedOut('ana', true)
    expect([ana().consents, people.outdated(members)]).toEqual([false, true])
  })
})

it.each([
  ['Ana', 'Ana'],
  ['  ', '?'],
  ['a\u0000b\nc', 'a b c'],
  ['x'.repeat(80), 'x'.repeat(64)],
  [`${'x'.repeat(63)}😀`, 'x'.repeat(63)],
])('the name %j is shown as %j', (name, shown) => {
  expect(memberName(name)).toBe(shown)
})
