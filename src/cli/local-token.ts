import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

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
function fileOf(port: string | number): string {
  return join(tmpdir(), `dragoman-${userInfo().uid}`, `${port}.token`)
}

/** Stores the access data of the bridge on `port` for `localToken`. Disposing removes the file. */
export async function leaveLocalToken(port: number, { token, key }: LocalAccess): Promise<AsyncDisposable> {
  const file = fileOf(port)
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 })
  await rm(file, { force: true })
  await writeFile(file, [token, ...(key === undefined ? [] : [key])].join('\n'), { mode: 0o600, flag: 'wx' })
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) }
}

/** Returns the access data of the bridge at `server` if it runs on this machine, and the address for which it signs. */
export async function localToken(server: string): Promise<(LocalAccess & { address: string }) | undefined> {
  const url = URL.parse(server)
  if (!url || !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) return undefined
  const port = url.port || '80'
  try {
    const [token = '', key] = (await readFile(fileOf(port), 'utf8')).trim().split('\n')
    return { token, key, address: `http://127.0.0.1:${port}` }
  } catch {
    return undefined
  }
}
