import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CallTable } from '../../src/storage/call-table.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { LogLines } from '../support/log-lines.ts'

const WRITER = `
  const { openDatabase } = await import(${JSON.stringify(new URL('../../src/storage/database.ts', import.meta.url))})
  const { CallTable } = await import(${JSON.stringify(new URL('../../src/storage/call-table.ts', import.meta.url))})
  const log = { error: console.error }
  const table = new CallTable({ database: openDatabase(process.argv[1]), file: '', wallClock: Date.now, log })
  for (let n = 0; ; n++) {
    table.note(process.argv[2] + n, { ended: true })
    require('node:fs').writeSync(1, n + '\\n')
  }
`

it('a process that is killed loses no call that it has noted, and the file stays whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-state-'))
  try {
    const file = join(folder, 'dragoman.db')
    const last: number[] = []
    for (let run = 0; run < 5; run++) {
      const args = [
        '--input-type=module',
        '-e',
        `import { createRequire } from 'node:module'\nconst require = createRequire('/')\n${WRITER}`,
      ]
      const child = spawn(process.execPath, [...args, file, `${run} `], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let said = ''
      child.stdout.on('data', (data: Buffer) => {
        said += data
        if (said.length > 2_000 * (run + 1)) child.kill('SIGKILL')
      })
      await once(child, 'close')
      last.push(Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1)))
    }
    const database = openDatabase(file)
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    const table = new CallTable({ database, file, wallClock: Date.now, log: new LogLines() })
    for (const [run, highest] of last.entries()) {
      expect(highest).toBeGreaterThan(100)
      for (const n of [0, highest - 1, highest]) expect((await table.find(`${run} ${n}`))?.ended).toBe(true)
    }
    database.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
