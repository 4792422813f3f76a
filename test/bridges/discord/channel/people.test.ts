import { describe, expect, it } from 'vitest'
import { memberName } from '../../../../src/bridges/discord/channel/guild-view.ts'
import { People } from '../../../../src/bridges/discord/channel/people.ts'
import type { ConsentOptions } from '../../../../src/bridges/discord/consent.ts'
import { MemoryPreferences } from '../../../../src/bridges/discord/preferences.ts'

function started(consent: ConsentOptions = { mode: 'opt-out', roles: [] }) {
  const roleIds: string[] = []
  const preferences = new MemoryPreferences()
  const locales = new Map<string, string>()
  const people = new People({
    view: { people: () => [{ userId: 'ana', name: 'Ana', speaks: true, roleIds }] },
    preferences,
    localeOf: userId => locales.get(userId),
    nearest: language => (language === 'es-419' || language === 'es-mx' ? 'es-es' : language),
    fallback: 'en-us',
    consent,
  })
  const ana = () => people.in('1')[0]!
  return { people, preferences, locales, ana, roleIds }
}

describe('a member is listened to', () => {
  it('until they opt out, here or in general', () => {
    const { people, preferences, ana } = started()
    expect(ana()).toMatchObject({ consents: true, excludedBy: undefined })
    people.setConsent('ana', false)
    expect(ana()).toMatchObject({ consents: false, excludedBy: 'opted-out' })
    people.setConsent('ana', true)
    preferences.setOptedOut('ana', true)
    expect(ana()).toMatchObject({ consents: false, excludedBy: 'opted-out' })
  })

  it('from their opt-in on, where people must opt in', () => {
    const { people, preferences, ana } = started({ mode: 'opt-in', roles: [] })
    expect(ana()).toMatchObject({ consents: false, excludedBy: 'not-opted-in' })
    const before = people.in('1')
    people.setConsent('ana', true)
    expect(people.outdated(before)).toBe(true)
    expect(ana()).toMatchObject({ consents: true, informed: true })
    preferences.setOptedOut('ana', true)
    expect(ana()).toMatchObject({ consents: false, excludedBy: 'opted-out' })
  })

  it('with one of the roles, unless they opt out', () => {
    const { people, ana, roleIds } = started({ mode: 'role', roles: ['7', '8'] })
    roleIds.push('5')
    expect(ana()).toMatchObject({ consents: false, excludedBy: 'no-role' })
    people.setConsent('ana', true)
    expect(ana()).toMatchObject({ consents: false, excludedBy: 'no-role' })
    roleIds.push('8')
    expect(ana()).toMatchObject({ consents: true })
    people.setConsent('ana', false)
    expect(ana()).toMatchObject({ excludedBy: 'opted-out' })
  })
})

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
