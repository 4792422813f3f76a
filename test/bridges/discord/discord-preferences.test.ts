import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DiscordPreferences } from '../../../src/bridges/discord/preferences.ts'
import { FakeClock } from '../../../src/simulator/fakes/fake-clock.ts'
import { LogLines } from '../../support/log-lines.ts'

const ANA = '1046021938471923712'
const BEN = '1046021938471923713'
const KEY = 'a key for tests only'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-preferences-'))
  file = join(folder, 'discord.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function open(settings: { key?: string; file?: string } = { key: KEY }) {
  const clock = new FakeClock()
  const log = new LogLines()
  return { clock, log, preferences: new DiscordPreferences({ file, ...settings }, { clock, log }) }
}

const saved = async (): Promise<{ users: Record<string, object> }> => JSON.parse(await readFile(file, 'utf8'))

describe('language', () => {
  test('lasts until the process ends unless the user has it remembered', async () => {
    const { preferences } = open()
    preferences.setLanguage(ANA, 'es-es', false)
    preferences.setLanguage(BEN, 'de-de', true)
    expect([preferences.language(ANA), preferences.language(BEN)]).toEqual(['es-es', 'de-de'])
    expect(preferences.about(ANA)).toEqual({ language: 'es-es', remembered: false, optedOut: false })
    expect(preferences.about(BEN)).toEqual({ language: 'de-de', remembered: true, optedOut: false })
    await preferences[Symbol.asyncDispose]()
    const next = open().preferences
    expect([next.language(ANA), next.language(BEN)]).toEqual([undefined, 'de-de'])
  })

  test('set for this session keeps the remembered one for the next', async () => {
    const { preferences } = open()
    preferences.setLanguage(ANA, 'es-es', true)
    preferences.setLanguage(ANA, 'fr-fr', false)
    expect(preferences.about(ANA)).toEqual({ language: 'fr-fr', remembered: false, optedOut: false })
    await preferences[Symbol.asyncDispose]()
    expect(open().preferences.language(ANA)).toBe('es-es')
  })

  test('is written shortly afterwards, together with others', async () => {
    const { preferences, clock } = open()
    preferences.setLanguage(ANA, 'es-es', true)
    preferences.setLanguage(BEN, 'de-de', true)
    expect(clock.pending).toBe(1)
    clock.advance(2_000)
    await preferences[Symbol.asyncDispose]()
    expect(Object.keys((await saved()).users)).toHaveLength(2)
  })
})

describe('opting out', () => {
  test('is written to disk immediately and restored at the next start', async () => {
    const { preferences, clock } = open()
    preferences.setOptedOut(ANA, true)
    expect([preferences.optedOut(ANA), preferences.optedOut(BEN), clock.pending]).toEqual([true, false, 0])
    await preferences[Symbol.asyncDispose]()
    expect(open().preferences.optedOut(ANA)).toBe(true)
  })

  test('leaves no entry after opting in again', async () => {
    const { preferences } = open()
    preferences.setOptedOut(ANA, true)
    preferences.setOptedOut(ANA, false)
    await preferences[Symbol.asyncDispose]()
    expect((await saved()).users).toEqual({})
  })

  test('keeps a remembered language', async () => {
    const { preferences } = open()
    preferences.setLanguage(ANA, 'es-es', true)
    preferences.setOptedOut(ANA, true)
    preferences.setOptedOut(ANA, false)
    await preferences[Symbol.asyncDispose]()
    expect(open().preferences.about(ANA)).toEqual({ language: 'es-es', remembered: true, optedOut: false })
  })
})

test('writes many simultaneous opt-outs together', async () => {
  const { preferences, log } = open()
  for (let user = 0; user < 500; user++) preferences.setOptedOut(String(user), true)
  const forgotten = preferences.forget('7')
  preferences.setOptedOut('500', true)
  await forgotten
  await preferences[Symbol.asyncDispose]()
  expect(Object.keys((await saved()).users)).toHaveLength(500)
  const next = open().preferences
  expect([next.optedOut('7'), next.optedOut('499'), next.optedOut('500')]).toEqual([false, true, true])
  expect(log.complaints).toEqual([])
})

describe('forgetting', () => {
  test('deletes all data immediately, in memory and on disk', async () => {
    const { preferences } = open()
    preferences.setLanguage(ANA, 'es-es', true)
    preferences.setLanguage(ANA, 'fr-fr', false)
    preferences.setOptedOut(ANA, true)
    preferences.setOptedOut(BEN, true)
    const forgotten = preferences.forget(ANA)
    expect(preferences.about(ANA)).toEqual({ remembered: false, optedOut: false })
    await forgotten
    expect(Object.keys((await saved()).users)).toHaveLength(1)
  })

  test('fails when the data on disk cannot be deleted', async () => {
    const { preferences, log } = open({ key: KEY, file: join(folder, 'missing', 'discord.json') })
    preferences.setOptedOut(ANA, true)
    await expect(preferences.forget(ANA)).rejects.toMatchObject({ code: 'STATE', retryable: true })
    expect(preferences.optedOut(ANA)).toBe(false)
    expect(log.complaints.join()).toContain('ENOENT')
    expect(log.complaints.join()).not.toContain(ANA)
  })
})

describe('the preferences file', () => {
  test('is readable by its owner only and contains no user ids', async () => {
    const { preferences } = open()
    preferences.setOptedOut(ANA, true)
    await preferences[Symbol.asyncDispose]()
    expect(await readFile(file, 'utf8')).not.toContain(ANA)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('gets a generated key file next to it when no key is set', async () => {
    const { preferences } = open({})
    preferences.setOptedOut(ANA, true)
    await preferences[Symbol.asyncDispose]()
    expect((await readdir(folder)).sort()).toEqual(['discord.json', 'discord.json.key'])
    expect((await stat(`${file}.key`)).mode & 0o777).toBe(0o600)
    expect((await readFile(`${file}.key`, 'utf8')).trim().length).toBeGreaterThan(32)
    expect(open({}).preferences.optedOut(ANA)).toBe(true)
  })

  test('is rejected without its key, because opt-outs would be lost', async () => {
    const { preferences } = open({})
    preferences.setOptedOut(ANA, true)
    await preferences[Symbol.asyncDispose]()
    await rm(`${file}.key`)
    expect(() => open({})).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining('restore the key') }),
    )
    expect(() => open({ key: 'quite another key' })).toThrow(/written with another key/)
    await writeFile(`${file}.key`, 'short')
    expect(() => open({})).toThrow(/does not contain a key of at least 16 characters/)
  })

  test.each([
    ['other content', '{"port": 8080}'],
    ['a truncated text', '{"version":1,"use'],
    ['another version', '{"version":2,"users":{}}'],
    ['a wrong entry', '{"version":1,"users":{"x":{"language":"Spanish"}}}'],
    ['no content', ''],
  ])('with %s is left unchanged and prevents the start', async (_what, text) => {
    await writeFile(file, text)
    expect(() => open()).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining(file) }),
    )
    expect(() => open()).toThrow(/restore a backup, or name another file/)
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  test('prevents the start when it cannot be read', () => {
    file = folder
    expect(() => open()).toThrow(/cannot be read \(EISDIR\)/)
  })
})

test('drops the oldest languages above the limit, but no opt-out', async () => {
  const users: Record<string, object> = { oldest: { out: true } }
  for (let at = 0; at < 100_005; at++) users[`digest ${at}`] = { language: 'es-es' }
  await writeFile(file, JSON.stringify({ version: 1, users }))
  const { preferences } = open()
  preferences.setLanguage(ANA, 'de-de', true)
  await preferences[Symbol.asyncDispose]()
  const kept = Object.keys((await saved()).users)
  expect(kept).toHaveLength(100_001)
  expect(kept.slice(0, 2)).toEqual(['oldest', 'digest 6'])
  expect(open().preferences.language(ANA)).toBe('de-de')
})
