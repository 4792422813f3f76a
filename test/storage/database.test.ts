import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BridgeError } from '../../src/common/errors.ts'
import { CallTable } from '../../src/storage/call-table.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { LogLines } from '../support/log-lines.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dragoman-state-'))
  file = join(folder, 'dragoman.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the state file', () => {
  it('keeps calls, and is readable by its owner only', async () => {
    const log = new LogLines()
    let now = 1_000
    const first = openDatabase(file)
    const before = new CallTable({ database: first, file, wallClock: () => now, log })
    before.note('twilio CA1', { attempt: 2 })
    before.note('twilio CA1', { attempt: 1, started: 1 })
    now = 2_000
    before.note('twilio CA1', { ended: true })
    before.note('twilio CA2', {})
    first.close()
    const second = openDatabase(file)
    const after = new CallTable({ database: second, file, wallClock: () => now, log })
    expect(await after.find('twilio CA1')).toEqual({ changedAt: 2_000, attempt: 2, started: 1, ended: true })
    expect(await after.find('twilio CA2')).toEqual({ changedAt: 2_000, attempt: 0, started: 0, ended: false })
    expect(await after.find('telnyx CA1')).toBeUndefined()
    second.close()
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(readFileSync(file).includes('CA1')).toBe(false)
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
        const newer = openDatabase(file)
        newer.exec('PRAGMA user_version = 99')
        newer.close()
      },
    ],
  ])('that is %s is named in the error and left as it is', (_what, make) => {
    make()
    const before = statSync(file).size
    expect(() => openDatabase(file)).toThrow(BridgeError)
    expect(() => openDatabase(file)).toThrow(file)
    expect(statSync(file).size).toBe(before)
  })

  it('goes on in memory while the disk is full, and writes what it knows when there is space', async () => {
    const log = new LogLines()
    const database = openDatabase(file)
    const table = new CallTable({ database, file, wallClock: () => 1_000, log })
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number }
    database.exec(`PRAGMA max_page_count = ${pages}`)
    const calls = Array.from({ length: 2_000 }, (_, n) => `call ${n}`)
    for (const call of calls) table.note(call, { ended: true })
    for (const call of calls) expect((await table.find(call))?.ended).toBe(true)
    expect(log.complaints).toHaveLength(1)
    expect(JSON.stringify(log.complaints[0])).toContain(file)
    database.exec('PRAGMA max_page_count = 100000')
    table.note('call 1999', { attempt: 3 })
    expect(await table.find('call 1999')).toMatchObject({ attempt: 3, ended: true })
    database.close()
  })

  it('forgets the oldest of more calls than it keeps, and those older than 400 days', async () => {
    let now = 0
    const database = openDatabase(file)
    const table = new CallTable({ database, file, wallClock: () => now, log: new LogLines() })
    table.note('old', { ended: true })
    now = 401 * 86_400_000
    for (let n = 0; n < 500; n++) table.note(`call ${n % 10}`, { attempt: n })
    expect(await table.find('old')).toBeUndefined()
    database.exec('UPDATE calls SET number = number + 1000000 WHERE number > 6')
    for (let n = 0; n < 500; n++) table.note(`call ${n % 10}`, { attempt: n })
    const { count } = database.prepare('SELECT count(*) AS count FROM calls').get() as { count: number }
    expect(count).toBe(5)
    database.close()
  })
})
