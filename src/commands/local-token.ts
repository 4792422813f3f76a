import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/**
 * A bridge that has no Twilio account yet signs with a token of its own making, so that its door is never open: the
 * token lies in a file that only this user can read, and `dragoman call` finds it there by the bridge's port.
 */
function fileOf(port: string | number): string {
  return join(tmpdir(), `dragoman-${userInfo().uid}`, `${port}.token`)
}

/** Makes a token for the bridge on `port` and leaves it for `localToken`; disposing removes the file. */
export async function leaveLocalToken(port: number, token: string): Promise<AsyncDisposable> {
  const file = fileOf(port)
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 })
  await rm(file, { force: true })
  await writeFile(file, token, { mode: 0o600, flag: 'wx' })
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) }
}

/** What the bridge at `server` left when it runs on this machine: its token and the address it signs for. */
export async function localToken(server: string): Promise<{ token: string; address: string } | undefined> {
  const url = URL.parse(server)
  if (!url || !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) return undefined
  const port = url.port || '80'
  try {
    return { token: (await readFile(fileOf(port), 'utf8')).trim(), address: `http://127.0.0.1:${port}` }
  } catch {
    return undefined
  }
}
