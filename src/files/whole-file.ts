import { randomBytes } from 'node:crypto'
import { open, realpath, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces the file at `path`, which only its owner can read. Writes beside it and puts that in its place, so that nobody
 * ever sees half a file, also after a power failure. Rejects as the disk does.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  // A link stays a link.
  const place = await realpath(path).catch(() => path)
  const draft = `${place}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(text)
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
