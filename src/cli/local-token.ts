import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { BridgeError } from '../common/errors.ts'

/** Access data that a bridge without a Twilio account shares with commands of the same user on the same machine. */
export interface LocalAccess {
  /** Signs webhooks and streams instead of an account’s auth token. */
  readonly token: string
  /** A key of the control API for this run. */
  readonly key?: string
}

/**
 * A bridge without a Twilio account verifies signatures with a token that it generates, so it is never open. The token
 * is in a file that only this user can read; `dragoman call` finds it by the bridge’s port.
 */
const folder = () => join(tmpdir(), `dragoman-${userInfo().uid}`)
const fileOf = (port: string | number) => join(folder(), `${port}.token`)

/**
 * Stores the access data of the bridge on `port` for `localToken`. Disposing removes the file. Rejects with `CONFIG` if
 * something that other users can write has the place of the folder.
 */
export async function leaveLocalToken(port: number, { token, key }: LocalAccess): Promise<AsyncDisposable> {
  const file = fileOf(port)
  try {
    await mkdir(folder(), { mode: 0o700 }).catch(unlessExists)
    if (!(await isPrivate())) throw new Error('it is not a private folder of this user')
    await rm(file, { force: true })
    await writeFile(file, [token, ...(key === undefined ? [] : [key])].join('\n'), {
      mode: 0o600,
      flag: 'wx',
    })
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
    throw new BridgeError(
      'CONFIG',
      `${file} cannot be written (${reason}): remove ${folder()}, or set TMPDIR to a folder of your own`,
      { cause },
    )
  }
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) }
}

/** Returns the access data of the bridge at `server` if it runs on this machine, and the address for which it signs. */
export async function localToken(server: string): Promise<(LocalAccess & { address: string }) | undefined> {
  const url = URL.parse(server)
  if (!url || !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) return undefined
  const port = url.port || '80'
  try {
    if (!(await isPrivate())) return undefined
    const [token = '', key] = (await readFile(fileOf(port), 'utf8')).trim().split('\n')
    return { token, key, address: `http://127.0.0.1:${port}` }
  } catch {
    return undefined
  }
}

/** The temporary folder is shared: whatever another user put there first is not trusted. Windows has no such modes. */
async function isPrivate(): Promise<boolean> {
  const found = await lstat(folder())
  if (process.platform === 'win32') return found.isDirectory()
  return found.isDirectory() && found.uid === userInfo().uid && (found.mode & 0o022) === 0
}

function unlessExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
