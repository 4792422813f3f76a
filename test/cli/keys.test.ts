import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Config } from '../../src/app/settings/load.ts'
import { listKeys } from '../../src/cli/keys.ts'
import { StoredKeyUsage } from '../../src/service/server/keys/key-usage.ts'
import { SLICE_MS } from '../../src/service/usage-ledger.ts'
import { THEN } from '../support/service/key-date.ts'
import { keyFileWith } from '../support/service/key-files.ts'
import { stateFolder } from '../support/state.ts'

async function listed(path: string, stateFile: string, json = false): Promise<string[]> {
  const lines: string[] = []
  const config = { stateFile, embedded: { keyFile: path, apiKeys: [], open: false } } as unknown as Config
  await listKeys(config, { json }, { line: (text: string) => void lines.push(text) } as never)
  return lines
}

test('keys are listed with their usage in 24 hours and without digests', async () => {
  const { file, path } = await keyFileWith('desk')
  const state = stateFolder()
  await file.add('wall', THEN, { sessions: 2, minutesPerDay: 30 })
  expect(await listed(path, state.file)).toEqual([
    'name  made        sessions  minutes in 24 h  used',
    'desk  2026-01-02  any       any              0.0',
    'wall  2026-01-02  2         30               0.0',
  ])
  const [, wall] = (await file.read()) ?? []
  const now = Date.now()
  const slice = (hoursAgo: number) => Math.floor((now - hoursAgo * 3_600_000) / SLICE_MS)
  const used = new Map([
    [slice(30), 600_000],
    [slice(23), 60_000],
    [slice(1), 36_000],
  ])
  new StoredKeyUsage(state.open()).add(new Map([[wall!.sha256, used]]), now)
  expect((await listed(path, state.file)).at(-1)).toBe('wall  2026-01-02  2         30               1.6')
  const [json = ''] = await listed(path, state.file, true)
  expect(JSON.parse(json)).toMatchObject([{ name: 'desk', usedMinutes: 0 }, { usedMinutes: 1.6 }])
  expect(json).not.toContain(wall!.sha256)
})

test('a damaged state file is named', async () => {
  const { path } = await keyFileWith('desk')
  const { file } = stateFolder()
  await writeFile(file, 'damaged '.repeat(1_000))
  await expect(listed(path, file)).rejects.toThrow(`stateFile: ${file} cannot be used: `)
})
