import { type FileHandle, open, readFile, rm } from 'node:fs/promises'
import { constants } from 'node:os'
import { dirname } from 'node:path'
import { type Clock, pause } from '../../../common/clock.ts'
import { BridgeError } from '../../../common/errors.ts'

/** Maximum time to wait for another process (ms). */
const PATIENCE_MS = 5_000
/** Minimum and maximum delay between two attempts (ms). */
const RETRY_MS = { least: 4, most: 20 }
/** flock(2): exclusive, without waiting. */
const EXCLUSIVE_NOW = 2 | 4

/**
 * Runs `work` on files in the folder of `path`, in one process at a time. The system locks the folder (`flock`) and
 * unlocks it when the process ends for any reason, so no stale lock remains. If that is not possible (some network
 * file systems, or without `koffi`), the file `<path>.lock` is the lock; if a killed process left it behind, an error
 * names it after a few seconds.
 */
export async function withLock<T>(path: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const folder = await lockedFolder(dirname(path), clock)
  if (folder) {
    try {
      return await work()
    } finally {
      await folder.close()
    }
  }
  const lock = `${path}.lock`
  await take(lock, clock)
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

/**
 * Returns the folder, locked until it is closed, or undefined if it cannot be locked. Rejects when others hold it for
 * too long.
 */
async function lockedFolder(folder: string, clock: Clock): Promise<FileHandle | undefined> {
  const flock = await systemLock()
  if (!flock) return undefined
  const handle = await open(folder, 'r').catch(() => undefined)
  if (!handle) return undefined
  const begin = clock.now()
  for (;;) {
    const error = flock(handle.fd)
    if (error === 0) return handle
    const late = clock.now() - begin > PATIENCE_MS
    if (late || (error !== constants.errno.EWOULDBLOCK && error !== constants.errno.EINTR)) {
      await handle.close()
      if (!late) return undefined
      throw new BridgeError(
        'CONFIG',
        `the folder ${folder} is locked by another process that changes its files: try again when it has finished`,
      )
    }
    await beforeRetry(clock)
  }
}

/** Locks an open file; returns 0 or the error number. */
type Flock = (fd: number) => number
let loaded: Promise<Flock | undefined> | undefined

function systemLock(): Promise<Flock | undefined> {
  loaded ??= import('koffi')
    .then(({ default: koffi }) => {
      const flock = koffi.load(null).func('int flock(int fd, int operation)')
      return (fd: number) => (flock(fd, EXCLUSIVE_NOW) === 0 ? 0 : koffi.errno())
    })
    .catch(() => undefined)
  return loaded
}

async function take(lock: string, clock: Clock): Promise<void> {
  const begin = clock.now()
  for (;;) {
    try {
      const handle = await open(lock, 'wx', 0o600)
      await handle.writeFile(String(process.pid)).finally(() => handle.close())
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (clock.now() - begin > PATIENCE_MS) throw await stuck(lock)
    await beforeRetry(clock)
  }
}

function beforeRetry(clock: Clock): Promise<void> {
  const { least, most } = RETRY_MS
  return pause(clock, least + Math.random() * (most - least))
}

async function stuck(lock: string): Promise<BridgeError> {
  const pid = Number(await readFile(lock, 'utf8').catch(() => ''))
  const holder = pid > 0 ? `process ${pid}, which ${isAlive(pid) ? 'is running' : 'has ended'}` : 'a process'
  return new BridgeError(
    'CONFIG',
    `${lock} was left by ${holder}: remove it if no other process is changing the files`,
  )
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
