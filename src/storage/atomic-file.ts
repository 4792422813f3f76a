import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates or replaces the file at `path`. Writes a temporary file next to it and renames that, so that readers never
 * see an incomplete file, even after a power failure. Keeps the owner, group and mode of a replaced file; a new file is
 * readable by its owner only and, if created by root, belongs to the owner of its folder. Rejects with file system
 * errors, and with `EPERM` if the owner cannot be preserved.
 */
export async function writeFileAtomic(path: string, text: string): Promise<void> {
  // A symbolic link is preserved.
  const place = await realpath(path).catch(() => path)
  const replaced = await statOf(place)
  const draft = `${place}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      if (replaced) await inherit(handle, replaced, place)
      else if (process.geteuid?.() === 0) await own(handle, await stat(dirname(place)), place)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, place)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  const folder = await open(dirname(place), 'r')
  await folder.sync().finally(() => folder.close())
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function inherit(handle: FileHandle, replaced: Stats, place: string): Promise<void> {
  await own(handle, replaced, place)
  // After the owner, because changing the owner can clear bits of the mode.
  await handle.chmod(replaced.mode & 0o777)
}

async function own(handle: FileHandle, { uid, gid }: Stats, place: string): Promise<void> {
  const now = await handle.stat()
  if (now.uid === uid && now.gid === gid) return
  try {
    await handle.chown(uid, gid)
  } catch (cause) {
    const { code = 'EPERM' } = cause as NodeJS.ErrnoException
    const reason = `${code}: ${place} belongs to uid ${uid}, gid ${gid}, which this user cannot keep; run this as that user or as root`
    throw Object.assign(new Error(reason, { cause }), { code })
  }
}
