import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { listKeys } from '../../src/cli/keys.ts'
import type { Config } from '../../src/config/load.ts'
import { usagePath } from '../../src/service/server/keys/usage-file.ts'
import { THEN } from '../support/service/key-date.ts'
import { keyFileWith } from '../support/service/key-files.ts'

async function listed(path: string, json = false): Promise<string[]> {
  const lines: string[] = []
  const config = { embedded: { keyFile: path, apiKeys: [], open: false } } as unknown as Config
  await listKeys(config, { json }, { line: (text: string) => void lines.push(text) } as never)
  return lines
}

test('keys are listed with their usage in 24 hours and without digests', async () => {
  const { file, path } = await keyFileWith('desk')
  await file.add('wall', THEN, { sessions: 2, minutesPerDay: 30 })
  expect(await listed(path)).toEqual([
    'name  made        sessions  minutes in 24 h  used',
    'desk  2026-01-02  any       any              0.0',
    'wall  2026-01-02  2         30               0.0',
  ])
  const [, wall] = (await file.read()) ?? []
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const used = { [ago(30)]: 600_000, [ago(23)]: 60_000, [ago(1)]: 36_000 }
  await writeFile(usagePath(path), JSON.stringify({ version: 1, keys: { [wall!.sha256]: used } }))
  expect((await listed(path)).at(-1)).toBe('wall  2026-01-02  2         30               1.6')
  const [json = ''] = await listed(path, true)
  expect(JSON.parse(json)).toMatchObject([{ name: 'desk', usedMinutes: 0 }, { usedMinutes: 1.6 }])
  expect(json).not.toContain(wall!.sha256)
})

test('an unreadable usage file is named', async () => {
  const { path } = await keyFileWith('desk')
  await writeFile(usagePath(path), '[]')
  await expect(listed(path)).rejects.toThrow(`${usagePath(path)} is invalid: `)
})
