import { closeSync, existsSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { BridgeError } from '../common/errors.ts'
import type { Logger } from '../common/log.ts'
import { MIGRATIONS } from './migrations.ts'

/** Time that a statement waits for another process (ms): it blocks the event loop. At the start, for its migrations. */
const BUSY_MS = 250
const BUSY_AT_START_MS = 5_000
const WRITES_AFTER_FAILURE = 1_000
const IN_MEMORY = ':memory:'
/** SQLITE_BUSY. */
const BUSY = 5

/**
 * The state that survives a restart: one database, which any number of processes can have open. What `write` has written
 * survives a process that is killed at any time (SQLite with a write-ahead log); only a power failure can lose the last
 * moments, and never the file. Its tables are in `migrations.ts`.
 */
export class StateFile implements Disposable {
  readonly database: DatabaseSync
  readonly #file: string | undefined
  readonly #log: Logger
  /** Successful writes needed before a failure counts as over: a nearly full disk accepts some. */
  #failing = 0
  /** A failure to read has been logged. */
  #unreadable = false

  private constructor(database: DatabaseSync, file: string | undefined, log: Logger) {
    this.database = database
    this.#file = file
    this.#log = log
  }

  /**
   * Opens `file`, and creates it if there is none; without `file`, the state is in memory. If the disk is read-only or full,
   * logs that, and goes on with what is stored. Throws `BridgeError` `CONFIG`, which names the file, if it is damaged, cannot
   * be read, or was written by a newer version. The caller disposes of the result.
   */
  static open(file: string | undefined, log: Logger): StateFile {
    if (file === undefined) return new StateFile(connect(IN_MEMORY), file, log)
    try {
      // Readable by its owner only; SQLite gives the files next to it the same mode.
      closeSync(openSync(file, 'a', 0o600))
      return new StateFile(connect(file), file, log)
    } catch (cause) {
      if ((cause as { errcode?: number }).errcode === BUSY) throw unusable(file, cause)
      const database = existsSync(file) ? readOnly(file, cause) : connect(IN_MEMORY)
      const state = new StateFile(database, file, log)
      state.#failed(cause)
      // In memory, writes succeed, and nothing is over.
      if (database.location() === null) state.#failing = Number.POSITIVE_INFINITY
      return state
    }
  }

  /**
   * Opens `file` for reading only; undefined if it does not exist, or is of an older version, which `open` brings up to date.
   * Throws like `open`.
   */
  static read(file: string, log: Logger): StateFile | undefined {
    if (!existsSync(file)) return undefined
    try {
      const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_AT_START_MS })
      if (checked(database)) return new StateFile(database, file, log)
      database.close()
      return undefined
    } catch (cause) {
      throw unusable(file, cause)
    }
  }

  /** Runs statements that change the database. Returns false if that failed, which is logged once until it works again. */
  write(work: () => void): boolean {
    try {
      work()
    } catch (error) {
      this.#failed(error)
      return false
    }
    if (this.#failing > 0 && --this.#failing === 0)
      this.#log.info({ file: this.#file }, 'the state file is written again')
    return true
  }

  /** Returns the result of a query, or `otherwise` if it failed, which is logged once. */
  read<T>(query: () => T, otherwise: T): T {
    try {
      return query()
    } catch (error) {
      const fields = { code: 'STORAGE', file: this.#file, fault: faultOf(error) }
      if (!this.#unreadable) this.#log.error(fields, 'the state file cannot be read')
      this.#unreadable = true
      return otherwise
    }
  }

  [Symbol.dispose](): void {
    if (this.database.isOpen) this.database.close()
  }

  #failed(error: unknown): void {
    const fields = { code: 'STORAGE', file: this.#file, fault: faultOf(error) }
    if (this.#failing === 0)
      this.#log.error(fields, 'the state file cannot be written: a restart forgets what changes now')
    this.#failing = Math.max(this.#failing, WRITES_AFTER_FAILURE)
  }
}

/** Opens a database for writing, and brings its tables up to date. */
function connect(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_AT_START_MS })
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    migrate(database)
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Opens a file that could not be opened for writing, for the reason `cause`. */
function readOnly(file: string, cause: unknown): DatabaseSync {
  try {
    // SQLite creates no files next to an immutable one.
    const url = pathToFileURL(resolve(file))
    url.searchParams.set('immutable', '1')
    const database = new DatabaseSync(url, { readOnly: true })
    if (checked(database)) return database
    database.close()
  } catch {
    // The reason for which it cannot be written is also the one for which it cannot be read.
  }
  throw unusable(file, cause)
}

/** Returns whether the tables are up to date. Closes the database, and throws, if it is damaged or of a newer version. */
function checked(database: DatabaseSync): boolean {
  try {
    const version = versionOf(database)
    if (version > MIGRATIONS.length) throw versionFault(version)
    return version === MIGRATIONS.length
  } catch (error) {
    database.close()
    throw error
  }
}

function migrate(database: DatabaseSync): void {
  // Only one process at a time.
  database.exec('BEGIN IMMEDIATE')
  try {
    const version = versionOf(database)
    if (version > MIGRATIONS.length) throw versionFault(version)
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration)
    if (version < MIGRATIONS.length) database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version)
}

function versionFault(version: number): Error {
  return new Error(`its version is ${version}, this program has version ${MIGRATIONS.length}`)
}

function unusable(file: string, cause: unknown): BridgeError {
  return new BridgeError('CONFIG', `stateFile: ${file} cannot be used: ${faultOf(cause)}`, { cause })
}

/** Returns the reason of a failure of the database or its disk: never values of a statement. */
function faultOf(error: unknown): string {
  const { code = '', message, errstr } = error as { code?: string; message: string; errstr?: string }
  return errstr ?? (/^E[A-Z]+$/.test(code) ? code : message)
}
