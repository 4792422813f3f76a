import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { DiscordPreferences } from '../../../src/bridges/discord/preferences.ts'
import { LogLines } from '../../support/log-lines.ts'
import { stateFolder } from '../../support/state.ts'

const ANA = '1046021938471923712'
const BEN = '1046021938471923713'

function setup() {
  const clock = new FakeClock()
  const wallClock = () => Date.UTC(2026, 0, 1) + clock.now()
  const state = stateFolder(wallClock)
  const log = new LogLines()
  /** The next process. */
  const open = async () => {
    const preferences = new DiscordPreferences(state.alone(), { clock, wallClock, log })
    onTestFinished(() => preferences[Symbol.dispose]())
    preferences.start()
    await settled()
    return preferences
  }
  const { database } = state.open()
  const stored = () => database.prepare('SELECT count(*) AS count FROM entries').get()?.count
  return { clock, state, log, open, stored }
}

describe('language', () => {
  test('lasts until the process ends unless the user has it remembered', async () => {
    const { open } = setup()
    const preferences = await open()
    preferences.setLanguage(ANA, 'es-es', false)
    preferences.setLanguage(BEN, 'de-de', true)
    expect([preferences.language(ANA), preferences.language(BEN)]).toEqual(['es-es', 'de-de'])
    expect(preferences.about(ANA)).toEqual({ language: 'es-es', remembered: false, optedOut: false })
    expect(preferences.about(BEN)).toEqual({ language: 'de-de', remembered: true, optedOut: false })
    const next = await open()
    expect([next.language(ANA), next.language(BEN)]).toEqual([undefined, 'de-de'])
  })

  test('set for this session keeps the remembered one for the next', async () => {
    const { open } = setup()
    const preferences = await open()
    preferences.setLanguage(ANA, 'es-es', true)
    preferences.setLanguage(ANA, 'fr-fr', false)
    expect(preferences.about(ANA)).toEqual({ language: 'fr-fr', remembered: false, optedOut: false })
    expect((await open()).language(ANA)).toBe('es-es')
  })
})

describe('opting out', () => {
  test('is in the file when it is confirmed, without user ids', async () => {
    const { open, state } = setup()
    const preferences = await open()
    await preferences.setOptedOut(ANA, true)
    expect([preferences.optedOut(ANA), preferences.optedOut(BEN)]).toEqual([true, false])
    const next = await open()
    expect([next.optedOut(ANA), next.optedOut(BEN)]).toEqual([true, false])
    const files = [state.file, `${state.file}-wal`].map(file => readFileSync(file, 'latin1')).join()
    expect(files).toContain('"out":true')
    expect(files).not.toContain(ANA)
  })

  test('leaves no entry after opting in again, but a remembered language', async () => {
    const { open, stored } = setup()
    const preferences = await open()
    await preferences.setOptedOut(ANA, true)
    await preferences.setOptedOut(ANA, false)
    expect(stored()).toBe(0)
    preferences.setLanguage(ANA, 'es-es', true)
    await preferences.setOptedOut(ANA, true)
    await preferences.setOptedOut(ANA, false)
    expect((await open()).about(ANA)).toEqual({ language: 'es-es', remembered: true, optedOut: false })
  })

  test('outlives languages of the same age', async () => {
    const { open, clock, stored } = setup()
    const preferences = await open()
    await preferences.setOptedOut(ANA, true)
    preferences.setLanguage(BEN, 'es-es', true)
    await settled()
    expect(stored()).toBe(2)
    clock.advance(6 * 365 * 86_400_000)
    await settled()
    expect(stored()).toBe(1)
    expect((await open()).optedOut(ANA)).toBe(true)
  })
})

describe('forgetting', () => {
  test('deletes all data immediately, in memory and in the file', async () => {
    const { open, stored } = setup()
    const preferences = await open()
    preferences.setLanguage(ANA, 'es-es', true)
    preferences.setLanguage(ANA, 'fr-fr', false)
    await preferences.setOptedOut(ANA, true)
    await preferences.setOptedOut(BEN, true)
    const forgotten = preferences.forget(ANA)
    expect(preferences.about(ANA)).toEqual({ remembered: false, optedOut: false })
    await forgotten
    expect(stored()).toBe(1)
  })

  test('is not confirmed while the file cannot be written', async () => {
    const { open, state } = setup()
    const preferences = await open()
    await preferences.setOptedOut(ANA, true)
    state.full(true)
    await expect(preferences.forget(ANA)).rejects.toMatchObject({ code: 'STORAGE', retryable: true })
    expect(preferences.optedOut(ANA)).toBe(false)
    expect(state.log.complaints.join()).toContain(state.file)
    expect(state.log.complaints.join()).not.toContain(ANA)
  })
})

function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
