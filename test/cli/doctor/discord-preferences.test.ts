import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { preferencesCheck } from '../../../src/cli/doctor/discord-checks.ts'
import { loadConfig } from '../../../src/config/load.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-doctor-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const check = (key?: string) => {
  const file = join(folder, 'discord.json')
  const preferences = key === undefined ? { file } : { file, key }
  return preferencesCheck(loadConfig({ env: {}, overrides: { discord: { preferences } } }))
}

test('checks the stored preferences of Discord users without creating files', async () => {
  expect(check()).toMatchObject({ status: 'ok', found: expect.stringContaining('no preferences stored yet') })
  expect(await readdir(folder)).toEqual([])
  await writeFile(join(folder, 'discord.json'), '{"version":1,"users":{}}')
  expect(check('a key of sixteen')).toMatchObject({ status: 'ok' })
  expect(check()).toMatchObject({ status: 'fail', found: expect.stringContaining('does not') })
  await writeFile(join(folder, 'discord.json'), 'damaged')
  expect(check('a key of sixteen')).toMatchObject({
    status: 'fail',
    fix: expect.stringContaining('backup'),
  })
  expect(await readdir(folder)).toEqual(['discord.json'])
})
