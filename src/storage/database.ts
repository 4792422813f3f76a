import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { BridgeError } from '../common/errors.ts'
import { CALL_TABLE } from './call-table.ts'
import { faultOf } from './database-fault.ts'

/** Changes of the schema, each applied once, in this order. A released one never changes. */
const MIGRATIONS: readonly string[] = [CALL_TABLE]
/** Time that a statement waits for another process (ms). It blocks the event loop. */
const BUSY_MS = 250
const IN_MEMORY = ':memory:'

/**
 * Opens the file with the state that survives a restart; without `file`, in memory. The caller closes it. A process that
 * is killed at any time loses no committed change (SQLite: write-ahead log). Throws `BridgeError` `CONFIG` that names the
 * file, if it cannot be written, is no database, or was written by a newer version.
 */
export function openDatabase(file: string = IN_MEMORY): DatabaseSync {
  try {
    // Readable by its owner only; SQLite gives the files next to it the same mode.
    if (file !== IN_MEMORY) closeSync(openSync(file, 'a', 0o600))
    const database = new DatabaseSync(file, { timeout: BUSY_MS })
    try {
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
      migrate(database)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  } catch (cause) {
    throw new BridgeError('CONFIG', `stateFile: ${file} cannot be used: ${faultOf(cause)}`, { cause })
  }
}

function migrate(database: DatabaseSync): void {
  // Only one process at a time.
  database.exec('BEGIN IMMEDIATE')
  try {
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as {
      user_version: number
    }
    if (version > MIGRATIONS.length)
      throw new Error(`its version is ${version}, this program knows ${MIGRATIONS.length} and older`)
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration)
    if (version < MIGRATIONS.length) database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
