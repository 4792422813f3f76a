import { open, readFile, rm } from 'node:fs/promises'
import { after, type Clock } from '../../core/clock.ts'
import { BridgeError } from '../../core/errors.ts'

/** Time to wait for another process (ms). */
const PATIENCE_MS = 5_000
/** Between two tries, at least and at most (ms). */
const RETRY_MS = { least: 4, most: 20 }

/**
 * Lets one process at a time do `work` on `path`: who makes the file `<path>.lock` has the turn. A lock that was left
 * behind by a killed process is not taken away from it, since two who do that at once would both have the turn: after a
 * few seconds the error names the file to remove.
 */
export async function withLock<T>(path: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`
  await take(lock, clock)
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
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
    const { least, most } = RETRY_MS
    await new Promise<void>(resolve => {
      after(clock, least + Math.random() * (most - least), resolve)
    })
  }
}

async function stuck(lock: string): Promise<BridgeError> {
  const pid = Number(await readFile(lock, 'utf8').catch(() => ''))
  const holder = pid > 0 ? `process ${pid}, which ${isAlive(pid) ? 'is running' : 'is gone'}` : 'a process'
  return new BridgeError('CONFIG', `${lock} was left by ${holder}; remove it when nobody changes the keys`)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
