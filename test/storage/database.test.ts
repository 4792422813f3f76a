import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BridgeError } from '../../src/common/errors.ts'
import { StateFile } from '../../src/storage/database.ts'
import { StateTables } from '../../src/storage/state-tables.ts'
import { LogLines } from '../support/log-lines.ts'

const counter = z.object({ count: z.number() })
const DAY_MS = 86_400_000

let folder: string
let file: string
let open: StateFile[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dragoman-state-'))
  file = join(folder, 'dragoman.db')
  open = []
})
afterEach(() => {
  for (const state of open) state[Symbol.dispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** A process with the file. */
function start(path: string | undefined = file) {
  const log = new LogLines()
  const state = StateFile.open(path, log)
  open.push(state)
  const time = { now: 400 * DAY_MS }
  const tables = new StateTables(state, () => time.now)
  return { state, log, time, tables, table: tables.table('year', 'counts', counter) }
}

describe('the state file', () => {
  it('keeps entries and the key of digests for the next process, and is readable by its owner only', async () => {
    const before = start()
    expect(await before.table.create('one', { count: 1 })).toBeDefined()
    await before.table.put('two', { count: 2 })
    await before.table.delete('two')
    const digest = before.tables.digest('+34600111222')
    before.state[Symbol.dispose]()
    const after = start()
    expect((await after.table.get('one'))?.value).toEqual({ count: 1 })
    expect((await after.table.entries()).size).toBe(1)
    expect(after.tables.digest('+34600111222')).toBe(digest)
    expect(start(join(folder, 'other.db')).tables.digest('+34600111222')).not.toBe(digest)
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(before.log.complaints).toEqual([])
  })

  it('is shared by processes, of which only one wins a write over the same revision', async () => {
    const [one, two] = [start(), start()]
    const revision = (await one.table.create('key', { count: 1 })) ?? 0
    expect(await two.table.create('key', { count: 2 })).toBeUndefined()
    expect(two.tables.digest('text')).toBe(one.tables.digest('text'))
    expect(await two.table.replace('key', { count: 3 }, revision)).toBeDefined()
    expect(await one.table.replace('key', { count: 4 }, revision)).toBeUndefined()
    expect((await one.table.get('key'))?.value).toEqual({ count: 3 })
  })

  it.each([
    ['a folder', () => mkdirSync(file)],
    [
      'another file',
      () => writeFileSync(file, 'not a database, but long enough to be read as one'.repeat(50)),
    ],
    [
      'a newer version',
      () => {
        const { state } = start()
        state.database.exec('PRAGMA user_version = 99')
        state[Symbol.dispose]()
        open = []
      },
    ],
  ])('that is %s prevents the start, is named in the error, and stays as it is', (_what, make) => {
    make()
    const before = statSync(file).isFile() ? readFileSync(file) : undefined
    for (const attempt of [StateFile.open, StateFile.read]) {
      expect(() => attempt(file, new LogLines())).toThrow(BridgeError)
      expect(() => attempt(file, new LogLines())).toThrow(`stateFile: ${file} cannot be used: `)
    }
    if (before) expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('in a folder that does not exist is reported with its path, and the state is in memory', async () => {
    const place = join(folder, 'none', 'dragoman.db')
    const { table, log } = start(place)
    await table.put('key', { count: 1 })
    expect((await table.get('key'))?.value).toEqual({ count: 1 })
    expect(log.complaints).toHaveLength(1)
    expect(log.all.at(-1)).toMatchObject({ fields: { code: 'STORAGE', file: place, fault: 'ENOENT' } })
    expect(StateFile.read(place, log)).toBeUndefined()
  })

  it('on a full disk is reported once; changes go on in memory, and are written when there is space', async () => {
    const { state, tables, table, log } = start()
    const long = tables.table('kept', 'texts', z.string())
    await long.put('stored', 'x')
    const { page_count: pages } = state.database.prepare('PRAGMA page_count').get() as { page_count: number }
    state.database.exec(`PRAGMA max_page_count = ${pages}`)
    const keys = Array.from({ length: 2_000 }, (_, n) => `key ${n}`)
    for (const key of keys) expect(await table.create(key, { count: 1 })).toBeDefined()
    for (const key of keys) expect((await table.get(key))?.value).toEqual({ count: 1 })
    const { revision = 0 } = (await table.get('key 1999')) ?? {}
    expect(await table.create('key 1999', { count: 2 })).toBeUndefined()
    expect(await table.replace('key 1999', { count: 2 }, revision)).toBeDefined()
    await expect(long.put('stored', 'y'.repeat(100_000))).resolves.toBeUndefined()
    expect((await table.entries()).size).toBe(2_000)
    expect(log.complaints).toHaveLength(1)
    expect(log.complaints[0]).toContain(file)
    expect(log.complaints[0]).toContain('STORAGE')
    state.database.exec('PRAGMA max_page_count = 100000')
    await table.put('key 0', { count: 3 })
    const next = start()
    expect((await next.table.entries()).size).toBe(2_000)
    expect((await next.table.get('key 1999'))?.value).toEqual({ count: 2 })
    expect((await next.tables.table('kept', 'texts', z.string()).get('stored'))?.value).toHaveLength(100_000)
  })

  it('does not confirm a deletion that is only in memory', async () => {
    const { state, table } = start()
    await table.put('key', { count: 1 })
    state.database.exec('PRAGMA query_only = on')
    await expect(table.delete('key')).rejects.toMatchObject({ code: 'STORAGE', retryable: true })
    expect([await table.get('key'), (await table.entries()).size]).toEqual([undefined, 0])
    state.database.exec('PRAGMA query_only = off')
    await table.put('other', { count: 1 })
    expect(await start().table.get('key')).toBeUndefined()
  })

  it('forgets entries after the life of their table, except those that are kept', async () => {
    const { tables, table, time } = start()
    const kept = tables.table('kept', 'people', counter)
    await table.put('old', { count: 1 })
    await kept.put('old', { count: 1 })
    time.now += 401 * DAY_MS
    for (let n = 0; n < 500; n++) await table.put(`key ${n % 10}`, { count: n })
    for (let n = 0; n < 500; n++) await kept.put(`key ${n % 10}`, { count: n })
    expect([(await table.entries()).size, (await kept.entries()).size]).toEqual([10, 11])
  })

  it('treats an entry that does not match as absent', async () => {
    const { tables, table } = start()
    await tables.table('year', 'counts', z.string()).put('key', 'text')
    expect(await table.get('key')).toBeUndefined()
    expect(await table.create('key', { count: 1 })).toBeDefined()
  })
})
