import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { WallClock } from '../../src/common/wall-clock.ts'
import { LoneFleet } from '../../src/fleet/lone-fleet.ts'
import { StateFile } from '../../src/storage/database.ts'
import { StateTables } from '../../src/storage/state-tables.ts'
import { LogLines } from './log-lines.ts'

/** A state file that processes open one after the other, or at once, until the test ends. */
export function stateFolder(wallClock: WallClock = Date.now) {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-state-'))
  const file = join(folder, 'dragoman.db')
  const log = new LogLines()
  const opened: StateFile[] = []
  onTestFinished(() => {
    for (const each of opened) each[Symbol.dispose]()
    rmSync(folder, { recursive: true, force: true })
  })
  const open = () => {
    const state = StateFile.open(file, log)
    opened.push(state)
    return state
  }
  return {
    folder,
    file,
    log,
    open,
    /** The fleet of another process with the file. */
    alone: () => new LoneFleet(new StateTables(open(), wallClock)),
    /** The disk of all processes becomes full, or has space again. */
    full: (full: boolean) => {
      for (const { database } of opened)
        if (database.isOpen) database.exec(`PRAGMA query_only = ${full ? 'on' : 'off'}`)
    },
  }
}
