import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { StateFile } from '../../src/storage/database.ts'
import { StateTables } from '../../src/storage/state-tables.ts'
import { LogLines } from '../support/log-lines.ts'

const urlOf = (name: string) => JSON.stringify(new URL(`../../src/storage/${name}`, import.meta.url))
const OPEN = `
  import { writeSync } from 'node:fs'
  import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
  const { StateFile } = await import(${urlOf('database.ts')})
  const { StateTables } = await import(${urlOf('state-tables.ts')})
  const [file, name] = process.argv.slice(1)
  const log = { info: console.log, error: (fields, text) => console.log(JSON.stringify({ ...fields, text })) }
  const table = new StateTables(StateFile.open(file, log), Date.now).table('year', 'numbers', z.number())
`
const ARGUMENTS = ['--input-type=module', '-e']

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dragoman-state-'))
  file = join(folder, 'dragoman.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('two processes that write at once, and are killed, lose nothing that they have written, and the file stays whole', async () => {
  const script = `${OPEN}
    for (let n = 0; ; n++) {
      await table.put(name + n, n)
      writeSync(1, n + '\\n')
    }`
  const last: [string, number][] = []
  const run = async (name: string, length: number) => {
    const child = spawn(process.execPath, [...ARGUMENTS, script, file, name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', (data: Buffer) => {
      said += data
      if (said.length > length) child.kill('SIGKILL')
    })
    await once(child, 'close')
    last.push([name, Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1))])
  }
  for (const round of [1, 2, 3])
    await Promise.all([run(`a${round} `, 2_000 * round), run(`b${round} `, 3_000)])
  const state = StateFile.open(file, new LogLines())
  expect(state.database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  const table = new StateTables(state, Date.now).table('year', 'numbers', z.number())
  for (const [name, highest] of last) {
    expect(highest).toBeGreaterThan(100)
    for (const n of [0, highest - 1, highest]) expect((await table.get(name + n))?.value).toBe(n)
  }
  state[Symbol.dispose]()
})

/** Permissions do not stop root, so a process of another user opens the file. */
it.skipIf(process.geteuid?.() !== 0)(
  'a file that cannot be written is read, and its path is reported',
  async () => {
    const state = StateFile.open(file, new LogLines())
    await new StateTables(state, Date.now).table('year', 'numbers', z.number()).put('stored', 7)
    state[Symbol.dispose]()
    chmodSync(folder, 0o755)
    const script = `${OPEN}
    await table.put('new', 8)
    const found = [(await table.get('stored'))?.value, (await table.get('new'))?.value]
    console.log(JSON.stringify({ found }))`
    const said = () =>
      execFileSync(process.execPath, [...ARGUMENTS, script, file], {
        uid: 65_534,
        gid: 65_534,
        cwd: '/',
        encoding: 'utf8',
      })
    chmodSync(file, 0o644)
    expect(
      said()
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual([
      { code: 'STORAGE', file, fault: 'EACCES', text: expect.stringContaining('cannot be written') },
      { found: [7, 8] },
    ])
    chmodSync(file, 0o600)
    expect(said).toThrow(`stateFile: ${file} cannot be used: EACCES`)
    chownSync(file, 65_534, 65_534)
  },
)
