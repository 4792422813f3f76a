import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Returns the error code of a write into a folder, creating the folder if necessary; undefined on success. All test
 * files are removed. Only a real write considers permissions, quotas and file systems.
 */
export async function unwritable(folder: string): Promise<string | undefined> {
  const made: string[] = []
  try {
    // One by one: `recursive` never returns on file systems that report their own folders as missing.
    for (const path of await missing(folder)) {
      await mkdir(path, { mode: 0o700 })
      made.unshift(path)
    }
    await rmdir(await mkdtemp(join(folder, '.doctor-')))
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  } finally {
    // Only empty folders are removed: another program may have started to write there.
    for (const path of made) await rmdir(path).catch(() => {})
  }
}

/** Returns the missing folders of a path, outermost first. */
async function missing(folder: string): Promise<string[]> {
  const paths: string[] = []
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    const there = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (there) break
    paths.unshift(path)
  }
  return paths
}
